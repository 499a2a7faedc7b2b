// NVIDIA Triton's generate extension: POST /v2/models/MODEL/generate_stream (SSE; nothing marks the
// end but the end of the message, and no counts are given) and /generate. Which fields a model
// takes is its own configuration's: there is the vLLM backend's form, and that of TensorRT-LLM's
// ensemble. Source: Triton's protocol/extension_generate.md.
#pragma once

#include "platform/dialect.h"
#include "platform/json_text.h"

namespace steelyard::platform {

extern const Dialect kTriton;
extern const Dialect kTritonTrtLlm;

class TritonReader : public EventReader {
 public:
  AnswerEvent read(std::string_view type, std::string_view data, StreamMemory& memory,
                   bool exact_text) override;
  AnswerEvent read_whole(std::string_view body) override;

 private:
  AnswerEvent read_alone(std::string_view type, std::string_view data);

  JsonText json_;
};

}  // namespace steelyard::platform
