#include "platform/tgi.h"

#include <nlohmann/json.hpp>

namespace steelyard::platform {
namespace {

// The last event's, and a whole answer's.
void read_details(JsonElement root, AnswerEvent& event) {
  const auto details = object_at(root, "details");
  if (!details) {
    return;
  }
  event.finish_reason = text_at(*details, "finish_reason");
  event.finished = !event.finish_reason.empty();
  event.usage = Usage{count_at(*details, "input_length"), count_at(*details, "generated_tokens"),
                      std::nullopt, std::nullopt};
}

bool has(JsonElement root, std::string_view key) {
  JsonElement found;
  return root[key].get(found) == simdjson::SUCCESS;
}

base::Json body_of(const RequestOptions& options) {
  base::Json parameters = {{"max_new_tokens", kLimitMark}, {"details", true}};
  // A temperature of 0 is refused there: it is said as greedy decoding.
  const bool samples = options.temperature.value_or(0) > 0;
  parameters["do_sample"] = samples;
  if (samples) {
    parameters["temperature"] = *options.temperature;
  }
  return {{"inputs", kPromptMark}, {"parameters", parameters}};
}

}  // namespace

AnswerEvent TgiReader::read(std::string_view type, std::string_view data, StreamMemory&, bool) {
  AnswerEvent event;
  const auto root = open_event(json_, type, data, event);
  if (!root) {
    return event;
  }
  if (const auto token = object_at(*root, "token")) {
    event.known = true;
    event.has_choice = true;
    bool special = false;  // an end of text: it is in no answer
    if ((*token)["special"].get(special) != simdjson::SUCCESS || !special) {
      event.content = text_at(*token, "text");
      event.token_ids = has(*token, "id") ? 1 : 0;
    }
  }
  event.finished = !text_at(*root, "generated_text").empty();
  read_details(*root, event);
  return event;
}

AnswerEvent TgiReader::read_whole(std::string_view body) {
  AnswerEvent event;
  const auto root = open_event(json_, "", body, event);
  if (root) {
    event.known = has(*root, "generated_text");
    event.has_choice = event.known;
    event.content = text_at(*root, "generated_text");
    read_details(*root, event);
  }
  return event;
}

const Dialect kTgi = {
    "tgi",
    StreamEnd::kDoneOrFinish,
    PromptForm::kText,
    [](const RequestOptions& options) -> std::string {
      return options.stream ? "/generate_stream" : "/generate";
    },
    body_of,
    []() -> std::unique_ptr<EventReader> { return std::make_unique<TgiReader>(); },
    false};

}  // namespace steelyard::platform
