// SGLang's own protocol: POST /generate, streamed (SSE, [DONE]) or whole. `text` is that of the
// whole answer so far, unless the server runs with --incremental-streaming-output; `meta_info`
// counts the tokens so far in every event. Source: SGLang's native API, as documented in 2026.
#pragma once

#include "platform/dialect.h"
#include "platform/json_text.h"

namespace steelyard::platform {

extern const Dialect kSglang;

class SglangReader : public EventReader {
 public:
  AnswerEvent read(std::string_view type, std::string_view data, StreamMemory& memory,
                   bool exact_text) override;
  AnswerEvent read_whole(std::string_view body) override;

 private:
  JsonText json_;
  ServerTimes times_;
};

}  // namespace steelyard::platform
