#include "platform/replicate.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

namespace steelyard::platform {
namespace {

// 3,000 calls a minute are allowed; the JavaScript client looks twice a second.
constexpr base::Nanos kLookEvery = 500 * base::kMillisecond;
// The stream ends a moment before the prediction says so.
constexpr int kMostLooks = 10;
constexpr std::string_view kDeployments = "deployments/";

bool has_ended(std::string_view status) {
  return status == "succeeded" || status == "failed" || status == "canceled" || status == "aborted";
}

std::string path_of(const RequestOptions& options) {
  const std::string& model = options.model;
  if (model.starts_with(kDeployments)) {
    return fmt::format("/v1/{}/predictions", model);
  }
  return model.find(':') != std::string::npos ? "/v1/predictions"
                                              : fmt::format("/v1/models/{}/predictions", model);
}

base::Json body_of(const RequestOptions& options) {
  base::Json input = {{"prompt", kPromptMark}, {"max_tokens", kLimitMark}};
  if (options.temperature) {
    input["temperature"] = *options.temperature;
  }
  base::Json body = {{"input", input}};
  if (const std::size_t colon = options.model.find(':'); colon != std::string::npos) {
    body["version"] = options.model.substr(colon + 1);
  }
  if (options.stream) {
    body["stream"] = true;
  }
  return body;
}

std::optional<base::Nanos> time_at(JsonElement object, std::string_view key) {
  return base::parse_rfc3339(text_at(object, key));
}

struct Account {
  ServerTimes times;
  std::optional<Usage> usage;
};

// What the platform says it took: waiting and starting up are one there.
Account account_of(JsonElement prediction) {
  Account account;
  const auto created = time_at(prediction, "created_at");
  const auto started = time_at(prediction, "started_at");
  if (created && started && *started >= *created) {
    account.times.queue = *started - *created;
  }
  const auto metrics = object_at(prediction, "metrics");
  if (!metrics) {
    return account;
  }
  if (const auto predict_s = number_at(*metrics, "predict_time")) {
    account.times.execute = base::from_seconds(*predict_s);
  }
  if (const auto output = count_at(*metrics, "output_token_count")) {
    account.usage =
        Usage{count_at(*metrics, "input_token_count"), output, std::nullopt, std::nullopt};
  }
  return account;
}

std::string_view words_at(JsonElement root, std::string_view key, std::string_view data) {
  const std::string_view words = text_at(root, key);
  return words.empty() ? data : words;
}

}  // namespace

AnswerEvent ReplicateReader::read(std::string_view type, std::string_view data, StreamMemory&,
                                  bool) {
  AnswerEvent event;
  event.known = type == "output" || type == "done" || type == "logs";
  if (type == "output") {
    event.has_choice = true;
    event.content = data;
    return event;
  }
  if (event.known && type == "logs") {
    return event;
  }
  const auto root = json_.object(data);
  if (type == "done") {
    const std::string_view reason = root ? text_at(*root, "reason") : "";
    event.kind = reason.empty() ? AnswerEvent::Kind::kChunk : AnswerEvent::Kind::kError;
    event.error = reason;
    event.finished = reason.empty();
  } else if (type == "error") {
    event.kind = AnswerEvent::Kind::kError;
    event.error = root ? words_at(*root, "detail", data) : data;
  }
  return event;
}

AnswerEvent ReplicateReader::read_whole(std::string_view body) {
  AnswerEvent event;
  const auto root = open_event(json_, "", body, event);
  if (!root) {
    return event;
  }
  const std::string_view status = text_at(*root, "status");
  event.known = has_ended(status);
  if (!event.known) {  // a refusal: {"detail": ...}
    event.kind = AnswerEvent::Kind::kError;
    event.error = words_at(*root, "detail", body);
    return event;
  }
  if (status != "succeeded") {
    event.kind = AnswerEvent::Kind::kError;
    event.error = status;
    return event;
  }
  event.has_choice = true;
  event.finished = true;
  const Account account = account_of(*root);
  event.usage = account.usage;
  times_ = account.times;
  event.server = &times_;
  event.content = text_at(*root, "output");
  simdjson::dom::array pieces;
  if ((*root)["output"].get(pieces) == simdjson::SUCCESS) {
    text_.clear();
    for (const JsonElement piece : pieces) {
      std::string_view text;
      if (piece.get(text) == simdjson::SUCCESS) {
        text_ += text;
      }
    }
    event.content = text_;
  }
  return event;
}

void ReplicateCall::reset() {
  streamed_ = false;
  looks_ = 0;
  get_.clear();
}

bool ReplicateCall::takes(int status) const {
  return status == 200 || status == 201 || status == 202;
}

namespace {

CallStep ended_step() {
  CallStep step;
  step.kind = CallStep::Kind::kEnd;
  return step;
}

}  // namespace

CallStep ReplicateCall::take(const wire::HttpHead& /*head*/, std::string_view body) {
  CallStep step;
  const auto prediction = json_.object(body);
  if (!prediction) {
    return step;  // which the reader says is none
  }
  const bool ended = has_ended(text_at(*prediction, "status"));
  if (ended) {
    if (streamed_) {
      step = ended_step();
      const Account account = account_of(*prediction);
      step.times = account.times;
      step.usage = account.usage;
    }
    return step;  // else it is the answer, and the reader reads all of it
  }
  if (streamed_) {
    return ++looks_ < kMostLooks ? look_again(true) : ended_step();
  }
  const auto urls = object_at(*prediction, "urls");
  if (!urls) {
    return step;
  }
  get_ = text_at(*urls, "get");
  const std::string_view stream = text_at(*urls, "stream");
  if (!stream_ || stream.empty()) {
    return look_again(false);
  }
  step.kind = CallStep::Kind::kFollow;
  step.next.url = stream;
  step.next.accept = "text/event-stream";
  return step;
}

CallStep ReplicateCall::stream_ended() {
  streamed_ = true;
  CallStep step = look_again(true);
  step.next.after = 0;
  return step;
}

CallStep ReplicateCall::look_again(bool aside) const {
  CallStep step;
  step.kind = CallStep::Kind::kFollow;
  step.next.url = get_;
  step.next.after = kLookEvery;
  step.next.aside = aside;
  return step;
}

const Dialect kReplicate = {
    "replicate",
    StreamEnd::kDoneOrFinish,
    PromptForm::kText,
    path_of,
    body_of,
    []() -> std::unique_ptr<EventReader> { return std::make_unique<ReplicateReader>(); },
    false,
    [](const RequestOptions& options) -> std::unique_ptr<Call> {
      return std::make_unique<ReplicateCall>(options.stream);
    }};

}  // namespace steelyard::platform
