// What other load generators mean by TTFT, TPOT, ITL, E2E and goodput, as data: one stream gives
// each of them other figures, and from its event log any of them can be had. Read from the tools'
// sources of 2026 (each row names its version); where a tool tokenizes the text itself, the
// server's count stands in.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "measure/attainment.h"
#include "measure/event_log.h"
#include "measure/samples.h"

namespace steelyard::measure {

// A set of chunk kinds, one bit each.
using Kinds = std::uint8_t;
[[nodiscard]] constexpr Kinds kinds(std::initializer_list<ChunkKind> of) {
  Kinds set = 0;
  for (const ChunkKind kind : of) {
    set = static_cast<Kinds>(set | (1U << static_cast<unsigned>(kind)));
  }
  return set;
}

struct ToolDefinition {
  // (E2E - TTFT) / (n - 1); (last - first token chunk) / (n - 1); (last token chunk - send) / n.
  enum class Tpot : std::uint8_t { kNone, kAfterTtft, kFirstToLast, kFromSend };
  enum class Itl : std::uint8_t {
    kNone,
    kChunkGaps,    // one sample a gap between chunks of `gap_kinds`
    kGapAndZeros,  // a chunk's tokens share its time: its gap, and 0 for each further token
    kAfterTtft,    // one a request: (E2E - TTFT) / (n - 1)
    kFirstToLast,  // one a request: (last - first token chunk) / (n - 1)
    kOfChunks,     // one a request: (last token chunk - send) / token chunks
  };
  enum class End : std::uint8_t { kLastOfKinds, kLastByte };
  enum class Goodput : std::uint8_t { kNone, kPerSecond, kShareOfSuccesses };

  std::string_view name;
  std::string_view version;
  Kinds first;  // TTFT ends at the first chunk of these
  End end;
  Kinds last;       // E2E ends at the last chunk of these, with kLastOfKinds
  Kinds gap_kinds;  // of ITL's chunk gaps
  Tpot tpot;
  base::Nanos least_tpot;  // smaller ones are dropped
  Itl itl;
  Goodput goodput;
  bool each_token = false;  // TPOT counts n times, the one ITL of a request n - 1 times
};

[[nodiscard]] std::span<const ToolDefinition> tool_definitions();
// Null for a tool that is not known.
[[nodiscard]] const ToolDefinition* find_tool(std::string_view name);
// The formulas, for a person.
struct ToolWords {
  std::string_view ttft;  // the first of these, less the send
  std::string_view e2e;   // the last of these
  std::string_view tpot;
  std::string_view itl;
  std::string_view goodput;
};
[[nodiscard]] ToolWords words_of(const ToolDefinition& tool);

struct ToolMetrics {
  std::optional<base::Nanos> ttft;
  std::optional<base::Nanos> e2e;
  std::optional<double> tpot_ns;
};
// Of a completed request that was streamed.
[[nodiscard]] ToolMetrics metrics_by(const ToolDefinition& tool, const RequestLog& log);

// A run as a tool would have summed it up.
class ToolFigures {
 public:
  // `limits`: TTFT, TPOT and E2E of goodput.
  ToolFigures(const ToolDefinition& tool, const Limits& limits) : tool_(&tool), limits_(limits) {}
  void add(const RequestLog& log);

  [[nodiscard]] const ToolDefinition& tool() const { return *tool_; }
  [[nodiscard]] const Samples& ttft() const { return ttft_; }
  [[nodiscard]] const Samples& tpot() const { return tpot_; }
  [[nodiscard]] const Samples& itl() const { return itl_; }
  [[nodiscard]] const Samples& e2e() const { return e2e_; }
  // Output tokens of completed requests, a second from the first send to the last end as the tool
  // sees it.
  [[nodiscard]] std::optional<double> output_throughput() const;
  // In its own unit: requests a second, or a share.
  [[nodiscard]] std::optional<double> goodput() const;

 private:
  void add_tpot(const RequestLog& log, const ToolMetrics& metrics);
  void add_itl(const RequestLog& log, const ToolMetrics& metrics);
  [[nodiscard]] std::optional<double> seconds() const;

  const ToolDefinition* tool_;
  Limits limits_;
  Samples ttft_, tpot_, itl_, e2e_;
  std::int64_t completed_ = 0;
  std::int64_t met_ = 0;
  std::optional<std::int64_t> output_tokens_;
  std::optional<base::Nanos> first_send_, last_end_;
};

}  // namespace steelyard::measure
