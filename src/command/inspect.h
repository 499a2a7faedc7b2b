// `steelyard inspect FILE`: what a recorded stream says, event by event in sum: for when a number
// of ours, or of another tool, is in doubt.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/error.h"
#include "measure/tool_definitions.h"
#include "platform/openai_dialect.h"

namespace steelyard::command {

struct StreamFacts {
  std::int64_t events = 0;
  std::int64_t role_or_empty_chunks = 0;  // bear no token: role, finish, usage
  std::int64_t content_chunks = 0;
  std::int64_t reasoning_chunks = 0;
  std::int64_t tool_call_chunks = 0;
  bool known = false;  // false: JSON of some other dialect
  std::int64_t malformed = 0;
  std::optional<std::int64_t> first_token_event;  // 1-based: where TTFT ends
  std::optional<platform::Usage> usage;           // the last one given
  bool finished = false;                          // a finish_reason
  bool done = false;                              // [DONE]
  bool cut_short = false;                         // the last event had no blank line after it
  bool torn = false;                              // and what there is of it cannot be read
  // As if sent at 0 and each event had come one nanosecond after the other: the times are the
  // events' numbers.
  measure::RequestLog log;
  std::optional<std::string> error;  // in-band, the server's words
};

// The body of an OpenAI-compatible stream. A body that is no event stream is bad input.
[[nodiscard]] base::Result<StreamFacts> inspect_stream(const std::string& name,
                                                       std::string_view body);

// "completed", or why a benchmark counts this request as failed.
[[nodiscard]] std::string verdict(const StreamFacts& facts);

// Lines for a person.
[[nodiscard]] std::string describe(const StreamFacts& facts);

// Which event each tool's TTFT and E2E end at, and what it makes of the gaps.
[[nodiscard]] std::string describe_by(std::span<const measure::ToolDefinition* const> tools,
                                      const StreamFacts& facts);

}  // namespace steelyard::command
