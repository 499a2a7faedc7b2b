// The latencies of one completed request. Definitions:
//   TTFT  first chunk with content, reasoning or a tool call - send
//   TTFO  first chunk with content or a tool call - send
//   E2E   last byte - send
//   TPOT  (last token-bearing chunk - first) / (n - 1), n output tokens; absent when n < 2 or when
//         everything came in one chunk, because then no time between tokens was observed
//   ICL   gap between token-bearing chunks
//   ITL   a chunk's gap spread evenly over the chunk's tokens
// Service time counts from the send; response time counts from the scheduled send, so that a late
// client cannot hide waiting (coordinated omission).
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "measure/event_log.h"

namespace steelyard::measure {

struct RequestMetrics {
  std::optional<base::Nanos> first_byte;
  std::optional<base::Nanos> ttft;
  std::optional<base::Nanos> ttfo;
  std::optional<base::Nanos> e2e;
  std::optional<double> tpot_ns;
  std::optional<base::Nanos> response_ttft;
  std::optional<base::Nanos> response_e2e;
  base::Nanos send_lag = 0;  // sent - due
};

// Of a request that did not complete only `send_lag` is given: partial streams stand in no latency.
[[nodiscard]] RequestMetrics metrics_of(const RequestLog& log);

// Chunk gaps in nanoseconds, one fewer than there are token-bearing chunks.
[[nodiscard]] std::vector<base::Nanos> inter_chunk_latencies(const RequestLog& log);

// Whether a reader sees a token in it.
[[nodiscard]] inline bool bears_tokens(const ChunkEvent& chunk) {
  return chunk.kind != ChunkKind::kEmpty && chunk.kind != ChunkKind::kNoChoice;
}

// What a token-bearing chunk is taken to hold where the server did not say: an even share of the
// output tokens that no chunk claimed, at least one.
[[nodiscard]] std::uint32_t unclaimed_share(const RequestLog& log);

// Every token-bearing chunk but the first: the time since the one before it, and its tokens.
// Amortised, that is `tokens` samples of ITL, each of gap / tokens.
template <typename OnGap>
void for_each_gap(const RequestLog& log, OnGap on_gap) {
  const std::uint32_t share = unclaimed_share(log);
  const ChunkEvent* before = nullptr;
  for (const ChunkEvent& chunk : log.chunks) {
    if (!bears_tokens(chunk)) {
      continue;
    }
    if (before != nullptr) {
      on_gap(chunk.at - before->at, chunk.tokens == 0 ? share : chunk.tokens);
    }
    before = &chunk;
  }
}

}  // namespace steelyard::measure
