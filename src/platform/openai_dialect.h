// The OpenAI dialect: /v1/completions and /v1/chat/completions, streamed (one JSON object an SSE
// event, then [DONE]) or whole. Reasoning comes as `reasoning_content` (DeepSeek, vLLM, SGLang) or
// `reasoning` (OpenRouter, newer vLLM), a chunk that has both carries the same text twice; or as a
// `thinking` part of a content that is a list (Mistral). Usage stands in `usage`, or in `x_groq`.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace steelyard::platform {

// Counts as the server gave them. Absent or null is unknown, never 0.
struct Usage {
  std::optional<std::int64_t> input_tokens;
  std::optional<std::int64_t> output_tokens;
  std::optional<std::int64_t> cached_input_tokens;
  std::optional<std::int64_t> reasoning_tokens;
};

// Views point into the reader or into the data it was given; they hold until its next call.
struct OpenAiEvent {
  enum class Kind : std::uint8_t { kChunk, kDone, kError, kMalformed };
  Kind kind = Kind::kChunk;
  std::string_view content;  // of the first choice that has any
  std::string_view reasoning;
  bool has_tool_call = false;  // a name or a piece of arguments
  bool has_choices = false;    // false in every event: some other dialect
  bool has_choice = false;     // and one stands in them; none does beside the usage
  bool finished = false;       // a finish_reason was given
  std::optional<Usage> usage;
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

// The events of one stream differ, as a rule, in the token's text alone. Once one of them has been
// read, the bytes before and after its text say how the next is to be read without reading it
// again: equal bytes around another string mean the same.
class EventPattern {
 public:
  void reset();

 private:
  friend class OpenAiReader;
  // The text of an event that fits; its escapes are left in it. Absent: it is to be read.
  [[nodiscard]] std::optional<std::string_view> match(std::string_view data);

  std::string before_;
  std::string after_;
  bool reasoning_ = false;    // the text is that of a thought
  std::int32_t learned_ = 0;  // how often the pattern was made
  std::int32_t matched_ = 0;
};

class OpenAiReader {
 public:
  OpenAiReader();
  ~OpenAiReader();
  OpenAiReader(const OpenAiReader&) = delete;
  OpenAiReader& operator=(const OpenAiReader&) = delete;

  // `event_type` is the SSE event's, empty when it had none; `data` its data, or a whole body.
  // Allocates only when an event is larger than any before it. Invalid UTF-8 does not fail an
  // event: it becomes U+FFFD.
  OpenAiEvent read(std::string_view event_type, std::string_view data);
  // The same for an event of a stream, of which it keeps the pattern. Escapes may be left in
  // `content` and `reasoning` unless `exact_text`.
  OpenAiEvent read(std::string_view event_type, std::string_view data, EventPattern& pattern,
                   bool exact_text);

 private:
  void learn(const OpenAiEvent& event, std::string_view data, EventPattern& pattern);

  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace steelyard::platform
