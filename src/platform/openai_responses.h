// OpenAI's Responses: POST /v1/responses, server-sent events whose `type` says what each is;
// response.completed or response.incomplete is the end and has the usage. A piece of text comes as
// a delta and once more, whole, when its part is done: only deltas are read. Sources: streams of
// 2025 and 2026 as VCR recorded them (pydantic-ai at 4fda389), and openai-python's types.
#pragma once

#include "platform/dialect.h"
#include "platform/json_text.h"

namespace steelyard::platform {

extern const Dialect kOpenAiResponses;

class ResponsesReader : public EventReader {
 public:
  AnswerEvent read(std::string_view type, std::string_view data, StreamMemory& memory,
                   bool exact_text) override;
  AnswerEvent read_whole(std::string_view body) override;

 private:
  JsonText json_;
  std::string text_;      // of a whole answer
  std::string thinking_;  // before it
};

}  // namespace steelyard::platform
