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
  bool choices = false;    // some event had `choices`; without, it is another dialect
  bool token = false;      // content, reasoning or a tool call
  bool finished = false;   // a finish_reason
  bool done = false;       // [DONE]
  bool torn = false;       // the bytes end within an event, which cannot be read
};

[[nodiscard]] Outcome outcome_of(const StreamState& state);
// Why, for a person; "" when completed.
[[nodiscard]] std::string_view reason_of(const StreamState& state);

}  // namespace steelyard::measure
