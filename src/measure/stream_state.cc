#include "measure/stream_state.h"

#include <utility>

namespace steelyard::measure {
namespace {

// In order: the first that holds decides.
std::pair<Outcome, std::string_view> judge(const StreamState& state) {
  if (state.error) {
    return {Outcome::kErrorInBand, "the server reported an error within the stream"};
  }
  if (state.malformed) {
    return {Outcome::kProtocol, "an event is not the JSON of this dialect"};
  }
  if (state.events && !state.known) {
    return {Outcome::kProtocol,
            "no event is of the dialect that was asked (`choices` stands in all of OpenAI's)"};
  }
  if (state.torn && !state.done) {
    return {Outcome::kTruncated, "truncated, the stream ends within an event"};
  }
  if (!state.done && !state.finished && !state.unmarked) {
    return {Outcome::kTruncated, "truncated, neither [DONE] nor a finish_reason came"};
  }
  if (!state.token) {
    return {Outcome::kNoToken, "not one token came"};
  }
  return {Outcome::kCompleted, ""};
}

}  // namespace

Outcome outcome_of(const StreamState& state) { return judge(state).first; }
std::string_view reason_of(const StreamState& state) { return judge(state).second; }

}  // namespace steelyard::measure
