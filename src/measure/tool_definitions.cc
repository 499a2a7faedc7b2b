#include "measure/tool_definitions.h"

#include <algorithm>
#include <array>

#include "measure/request_metrics.h"

namespace steelyard::measure {
namespace {

using Tpot = ToolDefinition::Tpot;
using Itl = ToolDefinition::Itl;
using End = ToolDefinition::End;
using Goodput = ToolDefinition::Goodput;

constexpr Kinds kContent = kinds({ChunkKind::kContent});
constexpr Kinds kText = kinds({ChunkKind::kContent, ChunkKind::kReasoning});
constexpr Kinds kTokens = kText | kinds({ChunkKind::kToolCall});
constexpr Kinds kChoices = kTokens | kinds({ChunkKind::kEmpty});
constexpr Kinds kAll = kChoices | kinds({ChunkKind::kNoChoice});

constexpr std::array<ToolDefinition, 10> kTools = {{
    {"vllm", "bench serve, 2026-08", kChoices, End::kLastOfKinds, kChoices, kChoices,
     Tpot::kAfterTtft, 0, Itl::kChunkGaps, Goodput::kPerSecond},
    {"sglang", "bench_serving, 2026-08", kText, End::kLastOfKinds, kAll, kText, Tpot::kAfterTtft, 0,
     Itl::kChunkGaps, Goodput::kNone},
    {"aiperf", "db4f639 (2025-10)", kText, End::kLastOfKinds, kText, 0, Tpot::kNone, 0,
     Itl::kAfterTtft, Goodput::kPerSecond},
    {"guidellm", "0.8.1", kTokens, End::kLastByte, 0, 0, Tpot::kFromSend, 0, Itl::kFirstToLast,
     Goodput::kNone, true},
    {"inference-perf", "7de5ef2 (2026-08)", kContent, End::kLastByte, 0, kContent,
     Tpot::kFirstToLast, 0, Itl::kGapAndZeros, Goodput::kShareOfSuccesses},
    {"genai-bench", "7fd04d8 (2026-07)", kText, End::kLastByte, 0, 0, Tpot::kAfterTtft,
     base::kMillisecond, Itl::kNone, Goodput::kNone},
    {"evalscope", "fde259d (2026-08)", kChoices, End::kLastOfKinds, kAll, kAll, Tpot::kAfterTtft, 0,
     Itl::kChunkGaps, Goodput::kNone},
    {"llmperf", "f1d6bed (2024-12)", kContent, End::kLastByte, 0, 0, Tpot::kNone, 0, Itl::kOfChunks,
     Goodput::kNone},
    {"inference-benchmarker", "dfef39d (2026-04)", kContent, End::kLastOfKinds, kChoices, 0,
     Tpot::kNone, 0, Itl::kFirstToLast, Goodput::kNone},
    {"genai-perf", "263c5f6 (2025-12)", kContent, End::kLastOfKinds, kContent, 0, Tpot::kNone, 0,
     Itl::kAfterTtft, Goodput::kPerSecond},
}};

bool in(Kinds set, ChunkKind kind) { return (set >> static_cast<unsigned>(kind) & 1U) != 0; }

std::optional<base::Nanos> first_of(const RequestLog& log, Kinds set) {
  const auto found = std::ranges::find_if(
      log.chunks, [&](const ChunkEvent& chunk) { return in(set, chunk.kind); });
  return found == log.chunks.end() ? std::nullopt : std::optional(found->at);
}

std::optional<base::Nanos> last_of(const RequestLog& log, Kinds set) {
  const auto found = std::find_if(log.chunks.rbegin(), log.chunks.rend(),
                                  [&](const ChunkEvent& chunk) { return in(set, chunk.kind); });
  return found == log.chunks.rend() ? std::nullopt : std::optional(found->at);
}

std::optional<base::Nanos> end_by(const ToolDefinition& tool, const RequestLog& log) {
  return tool.end == End::kLastByte ? log.end_at : last_of(log, tool.last);
}

std::optional<double> shared(std::optional<base::Nanos> from, std::optional<base::Nanos> to,
                             std::int64_t among) {
  return from && to && among > 0
             ? std::optional(static_cast<double>(*to - *from) / static_cast<double>(among))
             : std::nullopt;
}

std::optional<base::Nanos> since(base::Nanos start, std::optional<base::Nanos> at) {
  return at ? std::optional(*at - start) : std::nullopt;
}

std::optional<double> tpot_by(const ToolDefinition& tool, const RequestLog& log,
                              const ToolMetrics& metrics) {
  const std::int64_t n = log.output_tokens.value_or(0);
  std::optional<double> tpot;
  switch (tool.tpot) {
    case Tpot::kNone:
      break;
    case Tpot::kAfterTtft:
      tpot = shared(metrics.ttft, metrics.e2e, n - 1);
      break;
    case Tpot::kFirstToLast:
      tpot = shared(first_of(log, tool.first), last_of(log, tool.first), n - 1);
      break;
    case Tpot::kFromSend:
      tpot = shared(log.sent_at, last_of(log, tool.first), n);
      break;
  }
  return tpot && *tpot >= static_cast<double>(tool.least_tpot) ? tpot : std::nullopt;
}

std::int64_t count_of(const RequestLog& log, Kinds set) {
  return std::ranges::count_if(log.chunks,
                               [&](const ChunkEvent& chunk) { return in(set, chunk.kind); });
}

std::uint32_t times(std::optional<std::int64_t> count) {
  return static_cast<std::uint32_t>(std::max<std::int64_t>(count.value_or(0), 0));
}

template <typename Value>
bool below(const std::optional<Value>& value, const std::optional<Value>& limit) {
  return !limit || !value || *value < *limit;
}

std::string_view words_of(Kinds set) {
  return set == kContent   ? "chunk with content"
         : set == kText    ? "chunk with content or reasoning"
         : set == kTokens  ? "chunk with content, reasoning or a tool call"
         : set == kChoices ? "chunk with a choice, role and finish too"
                           : "chunk, usage too";
}

}  // namespace

std::span<const ToolDefinition> tool_definitions() { return kTools; }

const ToolDefinition* find_tool(std::string_view name) {
  const auto found = std::ranges::find(kTools, name, &ToolDefinition::name);
  return found == kTools.end() ? nullptr : &*found;
}

ToolWords words_of(const ToolDefinition& tool) {
  ToolWords words;
  words.ttft = words_of(tool.first);
  words.e2e = tool.end == End::kLastByte ? "byte" : words_of(tool.last);
  switch (tool.tpot) {
    case Tpot::kNone:
      words.tpot = "none";
      break;
    case Tpot::kAfterTtft:
      words.tpot = "(E2E - TTFT) / (n - 1)";
      break;
    case Tpot::kFirstToLast:
      words.tpot = "(last - first chunk with content) / (n - 1)";
      break;
    case Tpot::kFromSend:
      words.tpot = "(last chunk with a token - send) / n, n times";
      break;
  }
  switch (tool.itl) {
    case Itl::kNone:
      words.itl = "none";
      break;
    case Itl::kChunkGaps:
      words.itl = tool.gap_kinds == kText      ? "gaps between chunks with text"
                  : tool.gap_kinds == kChoices ? "gaps between chunks, role and finish too"
                                               : "gaps between chunks, usage too";
      break;
    case Itl::kGapAndZeros:
      words.itl = "a chunk's gap, and 0 for each further token of it";
      break;
    case Itl::kAfterTtft:
      words.itl = "one a request: (E2E - TTFT) / (n - 1)";
      break;
    case Itl::kFirstToLast:
      words.itl = tool.each_token
                      ? "(last - first chunk with a token) / (n - 1), n - 1 times a request"
                      : "one a request: (last - first chunk with content) / (n - 1)";
      break;
    case Itl::kOfChunks:
      words.itl = "one a request: (last chunk with content - send) / chunks";
      break;
  }
  words.goodput = tool.goodput == Goodput::kNone        ? "none"
                  : tool.goodput == Goodput::kPerSecond ? "good requests / s"
                                                        : "good requests / successes";
  return words;
}

ToolMetrics metrics_by(const ToolDefinition& tool, const RequestLog& log) {
  ToolMetrics metrics;
  if (log.outcome != Outcome::kCompleted) {
    return metrics;
  }
  metrics.e2e = since(log.sent_at, log.streamed ? end_by(tool, log) : log.end_at);
  if (log.streamed) {
    metrics.ttft = since(log.sent_at, first_of(log, tool.first));
    metrics.tpot_ns = tpot_by(tool, log, metrics);
  }
  return metrics;
}

void ToolFigures::add(const RequestLog& log) {
  first_send_ = std::min(first_send_.value_or(log.sent_at), log.sent_at);
  if (log.outcome != Outcome::kCompleted) {
    return;
  }
  const ToolMetrics metrics = metrics_by(*tool_, log);
  ++completed_;
  if (log.output_tokens) {
    output_tokens_ = output_tokens_.value_or(0) + *log.output_tokens;
  }
  if (metrics.ttft) {
    ttft_.add(static_cast<double>(*metrics.ttft));
  }
  add_tpot(log, metrics);
  if (metrics.e2e) {
    e2e_.add(static_cast<double>(*metrics.e2e));
    const base::Nanos end = log.sent_at + *metrics.e2e;
    last_end_ = std::max(last_end_.value_or(end), end);
  }
  if (log.streamed) {
    add_itl(log, metrics);
  }
  const bool good = below(metrics.ttft, limits_.ttft) && below(metrics.e2e, limits_.e2e) &&
                    below(metrics.tpot_ns, limits_.tpot_ns);
  met_ += good ? 1 : 0;
}

void ToolFigures::add_tpot(const RequestLog& log, const ToolMetrics& metrics) {
  if (metrics.tpot_ns) {
    tpot_.add(*metrics.tpot_ns, tool_->each_token ? times(log.output_tokens) : 1);
  }
}

void ToolFigures::add_itl(const RequestLog& log, const ToolMetrics& metrics) {
  const std::int64_t n = log.output_tokens.value_or(0);
  const auto add_one = [&](std::optional<double> value) {
    if (value) {
      itl_.add(*value, tool_->each_token ? times(n - 1) : 1);
    }
  };
  switch (tool_->itl) {
    case Itl::kNone:
      return;
    case Itl::kAfterTtft:
      return add_one(shared(metrics.ttft, metrics.e2e, n - 1));
    case Itl::kFirstToLast:
      return add_one(shared(first_of(log, tool_->first), last_of(log, tool_->first), n - 1));
    case Itl::kOfChunks:
      return add_one(shared(log.sent_at, last_of(log, tool_->first), count_of(log, tool_->first)));
    case Itl::kChunkGaps:
    case Itl::kGapAndZeros:
      break;
  }
  const bool zeros = tool_->itl == Itl::kGapAndZeros;
  const std::uint32_t share = zeros ? unclaimed_share(log) : 1;
  std::optional<base::Nanos> before;
  for (const ChunkEvent& chunk : log.chunks) {
    if (!in(tool_->gap_kinds, chunk.kind)) {
      continue;
    }
    if (before) {
      itl_.add(static_cast<double>(chunk.at - *before));
    }
    if (zeros) {
      itl_.add(0, (chunk.tokens == 0 ? share : chunk.tokens) - 1);
    }
    before = chunk.at;
  }
}

std::optional<double> ToolFigures::seconds() const {
  return first_send_ && last_end_ && *last_end_ > *first_send_
             ? std::optional(base::to_seconds(*last_end_ - *first_send_))
             : std::nullopt;
}

std::optional<double> ToolFigures::output_throughput() const {
  const auto over = seconds();
  return over && output_tokens_ ? std::optional(static_cast<double>(*output_tokens_) / *over)
                                : std::nullopt;
}

std::optional<double> ToolFigures::goodput() const {
  const bool none = !limits_.ttft && !limits_.tpot_ns && !limits_.e2e;
  const auto met = static_cast<double>(met_);
  if (none || tool_->goodput == Goodput::kNone) {
    return std::nullopt;
  }
  if (tool_->goodput == Goodput::kShareOfSuccesses) {
    return completed_ == 0 ? std::nullopt : std::optional(met / static_cast<double>(completed_));
  }
  const auto over = seconds();
  return over ? std::optional(met / *over) : std::nullopt;
}

}  // namespace steelyard::measure
