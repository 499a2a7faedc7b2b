// Ollama's own protocol: POST /api/chat, one JSON object a line (application/x-ndjson), the last
// with "done": true, the counts, and durations in nanoseconds. Answers of /api/generate are read
// too. Source: the project's docs/api.md.
#pragma once

#include "platform/dialect.h"
#include "platform/json_text.h"

namespace steelyard::platform {

extern const Dialect kOllama;

class OllamaReader : public EventReader {
 public:
  AnswerEvent read(std::string_view type, std::string_view data, StreamMemory& memory,
                   bool exact_text) override;
  AnswerEvent read_whole(std::string_view body) override;

 private:
  void read_end(JsonElement root, AnswerEvent& event);

  JsonText json_;
  ServerTimes times_;
};

}  // namespace steelyard::platform
