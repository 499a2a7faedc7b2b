// How a stream ended, from what was seen of it. One place, so that a benchmark and `inspect` never
// disagree about a stream.
#pragma once

#include <string_view>

#include "measure/event_log.h"

namespace steelyard::measure {

struct StreamState {
  bool error = false;      // an error event within the stream
  bool malformed = false;  // an event that is not the dialect's JSON
  bool events = false;     // anything at all but [DONE]
  bool known = false;      // some event had what the dialect's have; without, it is another
  bool token = false;      // content, reasoning or a tool call
  bool finished = false;   // the reason why the answer ends: OpenAI's finish_reason
  bool done = false;       // [DONE]
  bool unmarked = false;   // the dialect has no mark of the end
  bool torn = false;       // the bytes end within an event, which cannot be read
};

[[nodiscard]] Outcome outcome_of(const StreamState& state);
// Why, for a person; "" when completed.
[[nodiscard]] std::string_view reason_of(const StreamState& state);

}  // namespace steelyard::measure
