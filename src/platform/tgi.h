// Hugging Face text-generation-inference, its own protocol: POST /generate_stream (an SSE event a
// token, no [DONE]; the last one has `generated_text` and `details`) and /generate. Source: the
// project's docs/openapi.json and router/src/server.rs as of 2026-01-08.
#pragma once

#include "platform/dialect.h"
#include "platform/json_text.h"

namespace steelyard::platform {

extern const Dialect kTgi;

class TgiReader : public EventReader {
 public:
  AnswerEvent read(std::string_view type, std::string_view data, StreamMemory& memory,
                   bool exact_text) override;
  AnswerEvent read_whole(std::string_view body) override;

 private:
  JsonText json_;
};

}  // namespace steelyard::platform
