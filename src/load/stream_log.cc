#include "load/stream_log.h"

#include <algorithm>

#include "base/text.h"
#include "measure/request_metrics.h"

namespace steelyard::load {
namespace {

using measure::ChunkKind;
using platform::AnswerEvent;

ChunkKind kind_of(const AnswerEvent& event) {
  if (!event.content.empty()) {
    return ChunkKind::kContent;
  }
  if (event.has_tool_call) {
    return ChunkKind::kToolCall;
  }
  if (!event.reasoning.empty()) {
    return ChunkKind::kReasoning;
  }
  return event.has_choice ? ChunkKind::kEmpty : ChunkKind::kNoChoice;
}

void take_counts(const std::optional<platform::Usage>& usage, measure::RequestLog& log) {
  if (!usage) {
    return;
  }
  log.input_tokens = usage->input_tokens;
  log.output_tokens = usage->output_tokens;
  log.token_source =
      usage->output_tokens ? measure::TokenSource::kUsage : measure::TokenSource::kUnknown;
}

}  // namespace

bool StreamLog::take(const AnswerEvent& event, base::Nanos at, measure::RequestLog& log) {
  switch (event.kind) {
    case AnswerEvent::Kind::kDone:
      state_.done = true;
      return false;
    case AnswerEvent::Kind::kMalformed:
      state_.malformed = true;
      return false;
    case AnswerEvent::Kind::kError:
      state_.error = true;
      log.failure = base::valid_utf8(event.error);
      return false;
    case AnswerEvent::Kind::kChunk:
      break;
  }
  state_.events = true;
  if (event.server != nullptr) {
    log.server = *event.server;
  }
  state_.known = state_.known || event.known;
  state_.finished = state_.finished || event.finished;
  std::uint32_t tokens = 0;
  if (event.usage) {
    usage_.emplace(usage_.value_or(platform::Usage{})).update(*event.usage);
    // Usage in every chunk says exactly how many tokens this one brought; in the last one alone it
    // counts those of all.
    const std::int64_t now = event.usage->output_tokens.value_or(counted_);
    const bool each = event.usage->output_tokens && counted_chunks_ == token_chunks_;
    if (event.bears_tokens() && each) {
      tokens = static_cast<std::uint32_t>(std::max<std::int64_t>(now - counted_, 0));
      ++counted_chunks_;
    }
    counted_ = std::max(counted_, now);
  }
  const ChunkKind kind = kind_of(event);
  log.chunks.push_back({at, kind, tokens});
  if (!measure::bears_tokens(log.chunks.back())) {
    return false;
  }
  state_.token = true;
  ++token_chunks_;
  return true;
}

void StreamLog::take_rest(const AnswerEvent& event, base::Nanos at, measure::RequestLog& log) {
  if (event.kind == AnswerEvent::Kind::kMalformed) {
    state_.torn = true;
  } else {
    take(event, at, log);
  }
}

void StreamLog::finish(measure::RequestLog& log) const {
  log.streamed = true;
  log.outcome = measure::outcome_of(state_);
  if (log.outcome != measure::Outcome::kCompleted && log.failure.empty()) {
    log.failure = measure::reason_of(state_);
  }
  take_counts(usage_, log);
  if (!log.output_tokens && token_chunks_ > 0) {
    log.output_tokens = token_chunks_;
    log.token_source = measure::TokenSource::kChunks;
  }
}

void take_whole(const AnswerEvent& event, measure::RequestLog& log) {
  log.streamed = false;
  take_counts(event.usage, log);
  if (event.server != nullptr) {
    log.server = *event.server;
  }
  if (event.kind == AnswerEvent::Kind::kError) {
    log.outcome = measure::Outcome::kErrorInBand;
    log.failure = base::valid_utf8(event.error);
  } else if (event.kind != AnswerEvent::Kind::kChunk || !event.known) {
    log.outcome = measure::Outcome::kProtocol;
    log.failure = "the answer is not the JSON of this dialect";
  } else if (!event.bears_tokens()) {
    log.outcome = measure::Outcome::kNoToken;
    log.failure = "not one token came";
  }
}

}  // namespace steelyard::load
