#include "platform/ollama.h"

#include <nlohmann/json.hpp>

namespace steelyard::platform {
namespace {

std::optional<base::Nanos> nanos_at(JsonElement object, std::string_view key) {
  const auto nanos = number_at(object, key);
  return nanos ? std::optional(static_cast<base::Nanos>(*nanos)) : std::nullopt;
}

// `options` takes more than is said here, num_ctx above all: a longer prompt than the context is
// cut without a word.
base::Json body_of(const RequestOptions& options) {
  base::Json model_options = {{"num_predict", kLimitMark}};
  if (options.temperature) {
    model_options["temperature"] = *options.temperature;
  }
  return {{"model", options.model},
          {"messages", kPromptMark},
          {"stream", options.stream},
          {"options", model_options}};
}

}  // namespace

void OllamaReader::read_end(JsonElement root, AnswerEvent& event) {
  event.usage = Usage{count_at(root, "prompt_eval_count"), count_at(root, "eval_count"),
                      std::nullopt, std::nullopt};
  times_.load = nanos_at(root, "load_duration");
  times_.prefill = nanos_at(root, "prompt_eval_duration");
  times_.decode = nanos_at(root, "eval_duration");
  times_.execute = nanos_at(root, "total_duration");
  event.server = &times_;
}

AnswerEvent OllamaReader::read(std::string_view type, std::string_view data, StreamMemory&, bool) {
  AnswerEvent event;
  const auto root = open_event(json_, type, data, event);
  if (!root) {
    return event;
  }
  bool done = false;
  event.known = (*root)["done"].get(done) == simdjson::SUCCESS;
  event.has_choice = event.known;
  event.finished = done;
  event.finish_reason = text_at(*root, "done_reason");
  event.content = text_at(*root, "response");
  event.reasoning = text_at(*root, "thinking");
  if (const auto message = object_at(*root, "message")) {
    event.content = text_at(*message, "content");
    event.reasoning = text_at(*message, "thinking");
    simdjson::dom::array calls;
    event.has_tool_call =
        (*message)["tool_calls"].get(calls) == simdjson::SUCCESS && calls.size() > 0;
  }
  if (done) {
    read_end(*root, event);
  }
  return event;
}

AnswerEvent OllamaReader::read_whole(std::string_view body) {
  StreamMemory none;
  return read("", body, none, true);
}

const Dialect kOllama = {
    "ollama",
    StreamEnd::kDoneOrFinish,
    PromptForm::kMessages,
    [](const RequestOptions&) -> std::string { return "/api/chat"; },
    body_of,
    []() -> std::unique_ptr<EventReader> { return std::make_unique<OllamaReader>(); },
    false};

}  // namespace steelyard::platform
