// Replicate: a prediction is made (POST), its text is read from a stream at another address (named
// server-sent events whose data is the text itself), and what it took stands in the prediction when
// it has ended. Sources: replicate-javascript lib/stream.js and index.js at 2fd6f39,
// replicate-python stream.py, the HTTP reference.
#pragma once

#include "platform/dialect.h"
#include "platform/json_text.h"

namespace steelyard::platform {

// The model is "OWNER/NAME", "OWNER/NAME:VERSION" or "deployments/OWNER/NAME".
extern const Dialect kReplicate;

class ReplicateReader : public EventReader {
 public:
  AnswerEvent read(std::string_view type, std::string_view data, StreamMemory& memory,
                   bool exact_text) override;
  // A prediction that has ended.
  AnswerEvent read_whole(std::string_view body) override;

 private:
  JsonText json_;
  ServerTimes times_;
  std::string text_;  // of an output that is a list of pieces
};

class ReplicateCall : public Call {
 public:
  explicit ReplicateCall(bool stream) : stream_(stream) {}
  void reset() override;
  [[nodiscard]] bool takes(int status) const override;
  CallStep take(const wire::HttpHead& head, std::string_view body) override;
  CallStep stream_ended() override;

 private:
  [[nodiscard]] CallStep look_again(bool aside) const;

  bool stream_;
  bool streamed_ = false;
  int looks_ = 0;    // after the stream has ended
  std::string get_;  // where the prediction is
  JsonText json_;
};

}  // namespace steelyard::platform
