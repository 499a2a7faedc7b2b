// What one event of a platform's stream, or one whole answer, says, whatever the dialect.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "base/clock.h"

namespace steelyard::platform {

// Counts as the server gave them. Absent or null is unknown, never 0.
struct Usage {
  std::optional<std::int64_t> input_tokens;
  std::optional<std::int64_t> output_tokens;
  std::optional<std::int64_t> cached_input_tokens;
  std::optional<std::int64_t> reasoning_tokens;

  // What `newer` says, it says in place of this: an event may give some of the counts alone.
  void update(const Usage& newer) {
    const auto take = [](std::optional<std::int64_t>& count,
                         const std::optional<std::int64_t>& from) { count = from ? from : count; };
    take(input_tokens, newer.input_tokens);
    take(output_tokens, newer.output_tokens);
    take(cached_input_tokens, newer.cached_input_tokens);
    take(reasoning_tokens, newer.reasoning_tokens);
  }
};

// The platform's own account of a request, where it gives one. Absent is unknown.
struct ServerTimes {
  std::optional<base::Nanos> queue;  // before it began; with a cold start in it where both are one
  std::optional<base::Nanos> load;   // of the model, alone
  std::optional<base::Nanos> prefill;  // of the prompt
  std::optional<base::Nanos> decode;   // of the answer
  std::optional<base::Nanos> execute;  // from begin to end; what is billed where time is
};

// Views point into the reader or into the data it was given; they hold until its next call.
struct AnswerEvent {
  enum class Kind : std::uint8_t { kChunk, kDone, kError, kMalformed };
  Kind kind = Kind::kChunk;
  std::string_view content;  // of the first choice that has any
  std::string_view reasoning;
  bool has_tool_call = false;  // a name or a piece of arguments
  bool known = false;          // it has what the dialect's events have; none in a stream: another
  bool has_choice = false;     // a piece of an answer, be it empty; usage may come without one
  bool finished = false;       // the end of the answer, with its reason
  std::string_view finish_reason;  // in the platform's own word, where it has one
  std::uint32_t token_ids = 0;     // how many ids of output tokens it lists; 0: it lists none
  std::optional<Usage> usage;
  const ServerTimes* server = nullptr;
  std::string_view error;  // the server's words, or what is wrong with the JSON

  // A token for the reader of the stream: role, finish and usage chunks bear none.
  [[nodiscard]] bool bears_tokens() const {
    return !content.empty() || !reasoning.empty() || has_tool_call;
  }
  // A piece of an answer or of a thought, and nothing else.
  [[nodiscard]] bool plain_text() const {
    return kind == Kind::kChunk && content.empty() != reasoning.empty() && !has_tool_call &&
           !finished && !usage;
  }
};

}  // namespace steelyard::platform
