// Anthropic's Messages: POST /v1/messages, named server-sent events whose data has the same name as
// its `type`; message_stop is the end. vLLM and others speak it too. The input is counted without
// what a cache held, which is told beside it; the output only in message_delta, what message_start
// says of it is a beginning. Source: the project's streams of 2025 and 2026 as VCR recorded them
// (pydantic-ai at 4fda389), and anthropic-sdk-python's types.
#pragma once

#include "platform/dialect.h"
#include "platform/json_text.h"

namespace steelyard::platform {

extern const Dialect kAnthropic;

class AnthropicReader : public EventReader {
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
