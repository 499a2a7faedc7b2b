// The events of one stream differ, as a rule, in the token's text alone. Once one of them has been
// read, the bytes before and after its text say how the next is to be read without reading it
// again: equal bytes around another string mean the same.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "platform/answer_event.h"

namespace steelyard::platform {

class EventPattern {
 public:
  // Reads an event in full.
  using Read = std::function<AnswerEvent(std::string_view data)>;

  // As `read` does, for the next event of the stream. Escapes may be left in its text unless
  // `exact_text`.
  AnswerEvent read(std::string_view data, bool exact_text, const Read& read);
  // Ready for another stream.
  void reset();

 private:
  // The text of an event that fits; its escapes are left in it. Absent: it is to be read.
  [[nodiscard]] std::optional<std::string_view> match(std::string_view data);
  // True when it has read other data, which makes the event's views void.
  bool learn(const AnswerEvent& event, std::string_view data, const Read& read);

  std::string before_;
  std::string after_;
  AnswerEvent event_;         // what one that fits says, but for its text
  bool reasoning_ = false;    // the text is that of a thought
  std::int32_t learned_ = 0;  // how often the pattern was made
  std::int32_t matched_ = 0;
};

}  // namespace steelyard::platform
