// llama.cpp's server, its own protocol: POST /completion, streamed (SSE; the last event has `stop`,
// the counts and the server's own timings; no [DONE]) or whole. Source: tools/server/README of the
// project, commit 00dc805.
#pragma once

#include "platform/dialect.h"
#include "platform/json_text.h"

namespace steelyard::platform {

extern const Dialect kLlamaCpp;

class LlamaCppReader : public EventReader {
 public:
  AnswerEvent read(std::string_view type, std::string_view data, StreamMemory& memory,
                   bool exact_text) override;
  AnswerEvent read_whole(std::string_view body) override;

 private:
  JsonText json_;
  ServerTimes times_;
};

}  // namespace steelyard::platform
