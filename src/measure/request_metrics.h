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

// `tokens` samples of `gap_ns` each: a histogram takes them in one step.
struct ItlSample {
  double gap_ns;
  std::uint32_t tokens;
};
// A chunk whose token count the server did not say gets an even share of the output tokens that
// no chunk claimed, at least one.
[[nodiscard]] std::vector<ItlSample> amortised_itl(const RequestLog& log);

}  // namespace steelyard::measure
