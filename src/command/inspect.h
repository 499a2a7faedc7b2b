// `steelyard inspect FILE`: what a recorded answer says, event by event and in sum: for when a
// number of ours, or of another tool, is in doubt.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "command/recording.h"
#include "measure/event_log.h"
#include "platform/dialect.h"

namespace steelyard::command {

struct InspectedEvent {
  std::string type;           // its name, where it has one
  std::string_view what;      // "content", "reasoning", "tool call", "empty", "no choice", "end
                              // mark", "error", "malformed", "unknown"
  std::string text;           // of the answer or the thought
  std::uint32_t tokens = 0;   // that it brought, where the server says so; else 0
  std::string finish_reason;  // "" but at the end
  std::optional<platform::Usage> usage;
};

// Where the count of output tokens comes from, in falling sureness.
enum class TokenOrigin : std::uint8_t { kUsage, kTokenIds, kChunks, kEstimated, kNone };
[[nodiscard]] std::string_view name_of(TokenOrigin origin);  // "usage", "token ids", ...

struct StreamFacts {
  int http_status = 0;                         // 0: no header was recorded
  Shape framing = Shape::kWhole;               // kNone: a whole answer, which has no TTFT
  Shape inner = Shape::kWhole;                 // within an AWS event stream
  const platform::Dialect* dialect = nullptr;  // never null
  bool recognised = false;                     // by its events
  bool told = false;                           // by the caller; neither: it is a guess

  std::vector<InspectedEvent> events;
  std::int64_t empty_chunks = 0;  // bear no token: role, finish, usage
  std::int64_t content_chunks = 0;
  std::int64_t reasoning_chunks = 0;
  std::int64_t tool_call_chunks = 0;
  std::int64_t malformed = 0;
  std::optional<std::int64_t> first_token_event;  // 1-based: where TTFT ends

  std::string content;
  std::string reasoning;
  std::optional<platform::Usage> usage;  // the counts last given
  std::optional<std::int64_t> output_tokens;
  TokenOrigin origin = TokenOrigin::kNone;
  platform::ServerTimes server;

  bool finished = false;  // the reason why the answer ends
  std::string finish_reason;
  bool done = false;       // the mark of the end: [DONE], message_stop
  bool cut_short = false;  // the bytes end within an event, a message or a body
  std::string broken;      // why the rest could not be read, else ""
  std::string error;       // the server's words, of a refusal or within the stream
  // "" completed; else why a benchmark counts the request as failed.
  std::string failure;
  // As if sent at 0 and each event had come one nanosecond after the other: the times are the
  // events' numbers.
  measure::RequestLog log;
};

// `dialect` null: it is known by its events. What is neither a stream nor an answer is bad input.
[[nodiscard]] base::Result<StreamFacts> inspect_stream(const std::string& name,
                                                       std::string_view bytes,
                                                       const platform::Dialect* dialect = nullptr);

// "completed", or why a benchmark counts this request as failed.
[[nodiscard]] std::string verdict(const StreamFacts& facts);
// For JSON: "completed", "truncated", "error_in_band", ...
[[nodiscard]] std::string_view key_of(measure::Outcome outcome);

}  // namespace steelyard::command
