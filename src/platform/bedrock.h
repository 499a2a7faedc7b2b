// AWS Bedrock, Converse: POST /model/ID/converse-stream, an AWS event stream whose events are told
// apart by their :event-type; the counts and the platform's own time come after messageStop. Invoke
// (/model/ID/invoke-with-response-stream) wraps the events of whichever model it is:
// {"bytes": "<base64>"}, the last with Bedrock's own counts. Sources: botocore's bedrock-runtime of
// 1.43.11, recorded streams (pydantic-ai at 4fda389), AWS' pages on the models' parameters.
#pragma once

#include "platform/anthropic.h"
#include "platform/dialect.h"
#include "platform/json_text.h"
#include "platform/openai_dialect.h"

namespace steelyard::platform {

extern const Dialect kBedrockConverse;
extern const Dialect kBedrockInvoke;

class ConverseReader : public EventReader {
 public:
  AnswerEvent read(std::string_view type, std::string_view data, StreamMemory& memory,
                   bool exact_text) override;
  AnswerEvent read_whole(std::string_view body) override;

  // One that has been parsed; views point into it.
  AnswerEvent read(std::string_view type, JsonElement root);

 private:
  void read_metadata(JsonElement root, AnswerEvent& event);

  JsonText json_;
  ServerTimes times_;
  std::string text_;      // of a whole answer
  std::string thinking_;  // before it
};

class InvokeReader : public EventReader {
 public:
  AnswerEvent read(std::string_view type, std::string_view data, StreamMemory& memory,
                   bool exact_text) override;
  // The model's own answer, which is not wrapped.
  AnswerEvent read_whole(std::string_view body) override;

 private:
  AnswerEvent read_model(std::string_view data, StreamMemory& memory, bool whole);
  AnswerEvent read_flat(std::string_view data);
  void read_metrics(std::string_view data, AnswerEvent& event);

  JsonText json_;
  JsonText metrics_;
  std::string unwrapped_;
  ServerTimes times_;
  AnthropicReader anthropic_;
  OpenAiReader openai_;
  ConverseReader nova_;  // Amazon's own models wrap Converse's events once more
};

}  // namespace steelyard::platform
