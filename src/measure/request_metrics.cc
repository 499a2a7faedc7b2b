#include "measure/request_metrics.h"

#include <algorithm>

namespace steelyard::measure {
namespace {

bool bears_answer(const ChunkEvent& chunk) {
  return chunk.kind == ChunkKind::kContent || chunk.kind == ChunkKind::kToolCall;
}

template <typename Chunks, typename Predicate>
const ChunkEvent* first_of(const Chunks& begin, const Chunks& end, Predicate wanted) {
  const auto found = std::find_if(begin, end, wanted);
  return found == end ? nullptr : &*found;
}

std::optional<base::Nanos> since(base::Nanos start, const ChunkEvent* chunk) {
  return chunk != nullptr ? std::optional(chunk->at - start) : std::nullopt;
}
std::optional<base::Nanos> since(base::Nanos start, std::optional<base::Nanos> at) {
  return at ? std::optional(*at - start) : std::nullopt;
}

std::optional<double> tpot_of(const RequestLog& log, const ChunkEvent* first) {
  const ChunkEvent* last = first_of(log.chunks.rbegin(), log.chunks.rend(), bears_tokens);
  const std::int64_t tokens = log.output_tokens.value_or(0);
  if (tokens < 2 || first == last) {
    return std::nullopt;
  }
  return static_cast<double>(last->at - first->at) / static_cast<double>(tokens - 1);
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
    const ChunkEvent* first = first_of(log.chunks.begin(), log.chunks.end(), bears_tokens);
    metrics.ttft = since(log.sent_at, first);
    metrics.response_ttft = since(log.due_at, first);
    metrics.ttfo = since(log.sent_at, first_of(log.chunks.begin(), log.chunks.end(), bears_answer));
    metrics.tpot_ns = tpot_of(log, first);
  }
  return metrics;
}

std::vector<base::Nanos> inter_chunk_latencies(const RequestLog& log) {
  std::vector<base::Nanos> gaps;
  for_each_gap(log, [&](base::Nanos gap, std::uint32_t) { gaps.push_back(gap); });
  return gaps;
}

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

}  // namespace steelyard::measure
