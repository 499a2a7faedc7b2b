// Reads the events of streams in one dialect. A reader serves many streams at once: what must be
// remembered from one event of a stream to its next stands in the stream's own memory.
#pragma once

#include <string>
#include <string_view>

#include "platform/answer_event.h"
#include "platform/event_pattern.h"

namespace steelyard::platform {

struct StreamMemory {
  EventPattern pattern;
  std::string text;  // had so far, where each event may give the whole text

  void reset() {
    pattern.reset();
    text.clear();
  }
};

class EventReader {
 public:
  EventReader() = default;
  virtual ~EventReader() = default;
  EventReader(const EventReader&) = delete;
  EventReader& operator=(const EventReader&) = delete;

  // `type` is the event's name, empty when it had none. Allocates only when an event is larger than
  // any before it. Invalid UTF-8 does not fail an event: it becomes U+FFFD. Escapes may be left in
  // `content` and `reasoning` unless `exact_text`.
  virtual AnswerEvent read(std::string_view type, std::string_view data, StreamMemory& memory,
                           bool exact_text) = 0;
  // A whole body: an answer that is no stream, or the words of a refusal.
  virtual AnswerEvent read_whole(std::string_view body) = 0;
};

}  // namespace steelyard::platform
