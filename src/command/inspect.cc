#include "command/inspect.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "base/json.h"
#include "base/text.h"
#include "load/stream_log.h"
#include "measure/stream_state.h"
#include "platform/ollama.h"
#include "platform/recognise.h"

namespace steelyard::command {
namespace {

using platform::AnswerEvent;

std::string_view what_of(const AnswerEvent& event) {
  switch (event.kind) {
    case AnswerEvent::Kind::kDone:
      return "end mark";
    case AnswerEvent::Kind::kMalformed:
      return "malformed";
    case AnswerEvent::Kind::kError:
      return "error";
    case AnswerEvent::Kind::kChunk:
      break;
  }
  return !event.content.empty()     ? "content"
         : event.has_tool_call      ? "tool call"
         : !event.reasoning.empty() ? "reasoning"
         : !event.known             ? "unknown"
         : event.has_choice         ? "empty"
                                    : "no choice";
}

class Decoder {
 public:
  Decoder(const platform::Dialect& dialect, StreamFacts& facts)
      : reader_(dialect.make_reader()), stream_(dialect.end), facts_(facts) {
    state_.unmarked = dialect.end == platform::StreamEnd::kBytes;
  }

  void take(const RecordedEvent& recorded) {
    const AnswerEvent event = reader_->read(recorded.type, recorded.data, memory_, true);
    const auto number = static_cast<std::int64_t>(facts_.events.size()) + 1;
    if (recorded.rest && event.kind == AnswerEvent::Kind::kMalformed) {
      state_.torn = true;  // what is left of an event is no fault of the server's JSON
    }
    stream_.take(event, number, facts_.log);
    note(recorded, event);
  }

  void finish(bool torn) {
    stream_.finish(facts_.log);
    facts_.log.end_at = static_cast<base::Nanos>(facts_.events.size());
    state_.torn = state_.torn || torn;
    judge();
  }

 private:
  void note(const RecordedEvent& recorded, const AnswerEvent& event) {
    InspectedEvent& seen = facts_.events.emplace_back();
    seen.type = base::valid_utf8(recorded.type);
    seen.what = what_of(event);
    switch (event.kind) {
      case AnswerEvent::Kind::kDone:
        facts_.done = true;
        return;
      case AnswerEvent::Kind::kMalformed:
        facts_.malformed += recorded.rest ? 0 : 1;
        return;
      case AnswerEvent::Kind::kError:
        facts_.error = base::valid_utf8(event.error);
        seen.text = facts_.error;
        return;
      case AnswerEvent::Kind::kChunk:
        break;
    }
    state_.events = true;
    state_.known = state_.known || event.known;
    note_text(event, seen);
    note_end(event, seen);
  }

  void note_text(const AnswerEvent& event, InspectedEvent& seen) {
    const std::string_view text = event.content.empty() ? event.reasoning : event.content;
    seen.text = text;
    seen.tokens = event.token_ids > 0 ? event.token_ids : facts_.log.chunks.back().tokens;
    token_ids_ += event.token_ids;
    facts_.content += event.content;
    facts_.reasoning += event.reasoning;
    if (!event.bears_tokens()) {
      ++facts_.empty_chunks;
      return;
    }
    if (!facts_.first_token_event) {
      facts_.first_token_event = static_cast<std::int64_t>(facts_.events.size());
    }
    facts_.content_chunks += event.content.empty() ? 0 : 1;
    facts_.reasoning_chunks += event.reasoning.empty() ? 0 : 1;
    facts_.tool_call_chunks += event.has_tool_call ? 1 : 0;
  }

  void note_end(const AnswerEvent& event, InspectedEvent& seen) {
    if (!event.finish_reason.empty()) {
      seen.finish_reason = base::valid_utf8(event.finish_reason);
      facts_.finish_reason = seen.finish_reason;
    }
    facts_.finished = facts_.finished || event.finished;
    if (event.usage) {
      seen.usage = event.usage;
      facts_.usage.emplace(facts_.usage.value_or(platform::Usage{})).update(*event.usage);
    }
    if (event.server != nullptr) {
      facts_.server = *event.server;
    }
  }

  void judge() {
    state_.error = !facts_.error.empty();
    state_.malformed = facts_.malformed > 0;
    state_.token = facts_.first_token_event.has_value();
    state_.finished = facts_.finished;
    state_.done = facts_.done;
    facts_.log.outcome = measure::outcome_of(state_);
    facts_.failure = measure::reason_of(state_);
    count();
  }

  void count() {
    const std::int64_t chunks =
        facts_.content_chunks + facts_.reasoning_chunks + facts_.tool_call_chunks;
    if (facts_.usage && facts_.usage->output_tokens) {
      facts_.output_tokens = facts_.usage->output_tokens;
      facts_.origin = TokenOrigin::kUsage;
    } else if (token_ids_ > 0) {
      facts_.output_tokens = token_ids_;
      facts_.origin = TokenOrigin::kTokenIds;
    } else if (chunks > 0) {
      facts_.output_tokens = facts_.log.output_tokens;
      facts_.origin = TokenOrigin::kChunks;
    }
  }

  std::unique_ptr<platform::EventReader> reader_;
  platform::StreamMemory memory_;
  load::StreamLog stream_;
  measure::StreamState state_;
  std::int64_t token_ids_ = 0;
  StreamFacts& facts_;
};

const platform::Dialect* recognised_in(const std::vector<RecordedEvent>& events) {
  std::vector<platform::SeenEvent> seen;
  seen.reserve(events.size());
  for (const RecordedEvent& event : events) {
    seen.push_back({event.type, event.data});
  }
  return platform::recognise(seen);
}

void settle(const platform::Dialect* told, const platform::Dialect* found, StreamFacts& facts) {
  facts.told = told != nullptr;
  facts.recognised = told == nullptr && found != nullptr;
  facts.dialect = told != nullptr ? told : found != nullptr ? found : &platform::kOpenAiChat;
}

base::Status decode_stream(const std::string& name, const Recording& recording,
                           const platform::Dialect* told, StreamFacts& facts) {
  const RecordedEvents recorded = events_of(recording);
  facts.broken = recorded.broken;
  facts.inner = recorded.inner;
  if (recorded.events.empty()) {
    return base::bad_input(name,
                           !facts.broken.empty() ? facts.broken
                           : recorded.cut_short  ? "it breaks off before its first event has ended"
                                                 : "no event in it",
                           "the body of a stream, as curl -N saved it");
  }
  settle(told, told == nullptr ? recognised_in(recorded.events) : nullptr, facts);
  Decoder decoder(*facts.dialect, facts);
  for (const RecordedEvent& event : recorded.events) {
    decoder.take(event);
  }
  facts.cut_short = recorded.cut_short || recording.short_of_body;
  decoder.finish(recorded.torn_message || (recording.short_of_body && !facts.finished));
  const bool open_ended =
      facts.failure.empty() || facts.log.outcome == measure::Outcome::kTruncated;
  if (!facts.broken.empty() && open_ended) {
    facts.log.outcome = measure::Outcome::kProtocol;
    facts.failure = facts.broken;
  }
  const bool unknown = !facts.recognised && !facts.told && facts.malformed == 0;
  if (unknown && facts.log.outcome == measure::Outcome::kProtocol) {
    facts.failure = "no event is of a dialect that is known";
  }
  return {};
}

void note_whole(const AnswerEvent& event, StreamFacts& facts) {
  load::take_whole(event, facts.log);
  facts.content = event.content;
  facts.reasoning = event.reasoning;
  facts.usage = event.usage;
  facts.finished = event.finished;
  facts.finish_reason = base::valid_utf8(event.finish_reason);
  if (event.server != nullptr) {
    facts.server = *event.server;
  }
  if (event.kind == AnswerEvent::Kind::kError) {
    facts.error = base::valid_utf8(event.error);
  }
  if (facts.usage && facts.usage->output_tokens) {
    facts.output_tokens = facts.usage->output_tokens;
    facts.origin = TokenOrigin::kUsage;
  } else if (!facts.content.empty() || !facts.reasoning.empty()) {
    constexpr std::size_t kBytesAToken = 4;  // of English, in most vocabularies
    facts.output_tokens = static_cast<std::int64_t>(
        (facts.content.size() + facts.reasoning.size() + kBytesAToken - 1) / kBytesAToken);
    facts.origin = TokenOrigin::kEstimated;
  }
  facts.failure = facts.error.empty() ? facts.log.failure : "the server reported an error";
}

base::Status decode_whole(const std::string& name, const Recording& recording,
                          const platform::Dialect* told, StreamFacts& facts) {
  const auto* const found = told == nullptr ? platform::recognise_whole(recording.body) : told;
  settle(told, found, facts);
  const auto reader = facts.dialect->make_reader();
  const AnswerEvent event = reader->read_whole(recording.body);
  note_whole(event, facts);
  if (facts.http_status >= 400) {
    facts.log.outcome =
        facts.http_status == 429 ? measure::Outcome::kRateLimited : measure::Outcome::kRefused;
    facts.failure = fmt::format("refused with HTTP {}", facts.http_status);
    if (facts.error.empty()) {
      facts.error = base::valid_utf8(base::trim(std::string_view(recording.body).substr(0, 500)));
    }
    return {};
  }
  if (event.kind == AnswerEvent::Kind::kError) {
    return {};
  }
  const bool json = base::parse_json(recording.body).has_value();
  if (!json || recording.short_of_body) {
    facts.cut_short = true;
    facts.log.outcome = measure::Outcome::kTruncated;
    facts.failure = "truncated, the answer ends within its JSON";
    return {};
  }
  return found != nullptr || told != nullptr
             ? base::Status()
             : base::bad_input(name, "JSON, and no answer of a dialect that is known",
                               "the body of a stream, as curl -N saved it");
}

}  // namespace

std::string_view name_of(TokenOrigin origin) {
  switch (origin) {
    case TokenOrigin::kUsage:
      return "usage";
    case TokenOrigin::kTokenIds:
      return "token ids";
    case TokenOrigin::kChunks:
      return "counted chunks";
    case TokenOrigin::kEstimated:
      return "estimated";
    case TokenOrigin::kNone:
      break;
  }
  return "none";
}

base::Result<StreamFacts> inspect_stream(const std::string& name, std::string_view bytes,
                                         const platform::Dialect* dialect) {
  auto recording = open_recording(name, bytes);
  if (!recording) {
    return tl::unexpected(recording.error());
  }
  // One line of Ollama's alone is a stream that has only begun.
  if (recording->framing == Shape::kWhole && recording->head.status < 400 &&
      platform::recognise_whole(recording->body) == &platform::kOllama) {
    recording->framing = Shape::kLines;
  }
  StreamFacts facts;
  facts.http_status = recording->head.status;
  facts.framing = recording->framing;
  const auto decoded = facts.framing == Shape::kWhole
                           ? decode_whole(name, *recording, dialect, facts)
                           : decode_stream(name, *recording, dialect, facts);
  return decoded.map([&] { return std::move(facts); });
}

std::string verdict(const StreamFacts& facts) {
  return facts.failure.empty() ? "completed" : fmt::format("failed: {}", facts.failure);
}

std::string_view key_of(measure::Outcome outcome) {
  switch (outcome) {
    case measure::Outcome::kCompleted:
      return "completed";
    case measure::Outcome::kRefused:
      return "refused";
    case measure::Outcome::kRateLimited:
      return "rate_limited";
    case measure::Outcome::kErrorInBand:
      return "error_in_band";
    case measure::Outcome::kTruncated:
      return "truncated";
    case measure::Outcome::kNoToken:
      return "no_token";
    case measure::Outcome::kTimeout:
      return "timeout";
    case measure::Outcome::kConnection:
      return "connection";
    case measure::Outcome::kProtocol:
      return "protocol";
    case measure::Outcome::kNotStreamed:
      break;
  }
  return "not_streamed";
}

}  // namespace steelyard::command
