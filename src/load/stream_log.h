// The event log of one answer, from the dialect's events as they come.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "measure/event_log.h"
#include "measure/stream_state.h"
#include "platform/dialect.h"

namespace steelyard::load {

class StreamLog {
 public:
  explicit StreamLog(platform::StreamEnd end = platform::StreamEnd::kDoneOrFinish) {
    state_.unmarked = end == platform::StreamEnd::kBytes;
  }
  // True when the event bore a token.
  bool take(const platform::AnswerEvent& event, base::Nanos at, measure::RequestLog& log);
  // What was left when the bytes ended, of an event whose end never came. It may be whole all the
  // same; where it cannot be read, the stream was cut within it.
  void take_rest(const platform::AnswerEvent& event, base::Nanos at, measure::RequestLog& log);
  // The counts of the whole answer, told beside it.
  void take_usage(const platform::Usage& usage) { usage_ = usage; }
  [[nodiscard]] bool done() const { return state_.done; }
  // Sets the outcome, the token counts and their source.
  void finish(measure::RequestLog& log) const;

 private:
  measure::StreamState state_;
  std::optional<platform::Usage> usage_;
  std::int64_t counted_ = 0;  // output tokens that usage claimed so far
  std::int64_t token_chunks_ = 0;
  std::int64_t counted_chunks_ = 0;  // of them, those whose tokens usage said
};

// A whole answer, not streamed: no TTFT, and E2E alone.
void take_whole(const platform::AnswerEvent& event, measure::RequestLog& log);

}  // namespace steelyard::load
