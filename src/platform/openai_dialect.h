// The OpenAI dialect: /v1/completions and /v1/chat/completions, streamed (one JSON object an SSE
// event, then [DONE]) or whole. Reasoning comes as `reasoning_content` (DeepSeek, vLLM, SGLang) or
// `reasoning` (OpenRouter, newer vLLM), a chunk that has both carries the same text twice; or as a
// `thinking` part of a content that is a list (Mistral). Usage stands in `usage`, or in `x_groq`.
#pragma once

#include <string_view>

#include "platform/dialect.h"
#include "platform/event_reader.h"
#include "platform/json_text.h"

namespace steelyard::platform {

extern const Dialect kOpenAiCompletions;

class OpenAiReader : public EventReader {
 public:
  AnswerEvent read(std::string_view type, std::string_view data, StreamMemory& memory,
                   bool exact_text) override;
  AnswerEvent read_whole(std::string_view body) override { return read("", body); }

  // An event by itself.
  AnswerEvent read(std::string_view type, std::string_view data);

 private:
  JsonText json_;
};

}  // namespace steelyard::platform
