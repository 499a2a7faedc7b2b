#include "measure/request_metrics.h"

#include <algorithm>

namespace steelyard::measure {
namespace {

bool bears_tokens(const ChunkEvent& chunk) { return chunk.kind != ChunkKind::kEmpty; }

bool bears_answer(const ChunkEvent& chunk) {
  return chunk.kind == ChunkKind::kContent || chunk.kind == ChunkKind::kToolCall;
}

template <typename Predicate>
std::optional<base::Nanos> first_at(const RequestLog& log, Predicate wanted) {
  const auto found = std::find_if(log.chunks.begin(), log.chunks.end(), wanted);
  return found == log.chunks.end() ? std::nullopt : std::optional(found->at);
}

std::optional<base::Nanos> last_token_at(const RequestLog& log) {
  const auto found = std::find_if(log.chunks.rbegin(), log.chunks.rend(), bears_tokens);
  return found == log.chunks.rend() ? std::nullopt : std::optional(found->at);
}

std::optional<base::Nanos> since(base::Nanos start, std::optional<base::Nanos> at) {
  return at ? std::optional(*at - start) : std::nullopt;
}

std::int64_t token_chunks(const RequestLog& log) {
  return std::count_if(log.chunks.begin(), log.chunks.end(), bears_tokens);
}

std::optional<double> tpot_of(const RequestLog& log) {
  const std::int64_t tokens = log.output_tokens.value_or(0);
  if (tokens < 2 || token_chunks(log) < 2) {
    return std::nullopt;
  }
  const base::Nanos span = *last_token_at(log) - *first_at(log, bears_tokens);
  return static_cast<double>(span) / static_cast<double>(tokens - 1);
}

// Every token-bearing chunk but the first, with the time since the one before it.
template <typename OnGap>
void for_each_gap(const RequestLog& log, OnGap on_gap) {
  std::optional<base::Nanos> before;
  for (const ChunkEvent& chunk : log.chunks) {
    if (!bears_tokens(chunk)) {
      continue;
    }
    if (before) {
      on_gap(chunk.at - *before, chunk);
    }
    before = chunk.at;
  }
}

// What a chunk of unknown size is taken to hold.
std::uint32_t unclaimed_share(const RequestLog& log) {
  std::int64_t claimed = 0;
  std::int64_t silent = 0;
  for (const ChunkEvent& chunk : log.chunks) {
    claimed += chunk.tokens;
    silent += bears_tokens(chunk) && chunk.tokens == 0 ? 1 : 0;
  }
  const std::int64_t left = log.output_tokens.value_or(0) - claimed;
  return silent == 0 || left <= silent ? 1U : static_cast<std::uint32_t>(left / silent);
}

}  // namespace

RequestMetrics metrics_of(const RequestLog& log) {
  RequestMetrics metrics;
  metrics.send_lag = log.sent_at - log.due_at;
  if (log.outcome != Outcome::kCompleted) {
    return metrics;
  }
  metrics.first_byte = since(log.sent_at, log.first_byte_at);
  metrics.e2e = since(log.sent_at, log.end_at);
  metrics.response_e2e = since(log.due_at, log.end_at);
  if (log.streamed) {
    const auto first = first_at(log, bears_tokens);
    metrics.ttft = since(log.sent_at, first);
    metrics.response_ttft = since(log.due_at, first);
    metrics.ttfo = since(log.sent_at, first_at(log, bears_answer));
    metrics.tpot_ns = tpot_of(log);
  }
  return metrics;
}

std::vector<base::Nanos> inter_chunk_latencies(const RequestLog& log) {
  std::vector<base::Nanos> gaps;
  for_each_gap(log, [&](base::Nanos gap, const ChunkEvent&) { gaps.push_back(gap); });
  return gaps;
}

std::vector<ItlSample> amortised_itl(const RequestLog& log) {
  const std::uint32_t share = unclaimed_share(log);
  std::vector<ItlSample> samples;
  for_each_gap(log, [&](base::Nanos gap, const ChunkEvent& chunk) {
    const std::uint32_t tokens = chunk.tokens == 0 ? share : chunk.tokens;
    samples.push_back({static_cast<double>(gap) / tokens, tokens});
  });
  return samples;
}

}  // namespace steelyard::measure
