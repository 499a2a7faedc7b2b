#include "platform/llama_cpp.h"

#include <nlohmann/json.hpp>

namespace steelyard::platform {
namespace {

// A prompt that the server has seen needs no prefill unless cache_prompt is off: it would give a
// TTFT that no new prompt has.
base::Json body_of(const RequestOptions& options) {
  base::Json body = {{"prompt", kPromptMark},
                     {"n_predict", kLimitMark},
                     {"stream", options.stream},
                     {"cache_prompt", false}};
  if (options.temperature) {
    body["temperature"] = *options.temperature;
  }
  if (options.ignore_eos) {
    body["ignore_eos"] = true;
  }
  return body;
}

}  // namespace

AnswerEvent LlamaCppReader::read(std::string_view type, std::string_view data, StreamMemory&,
                                 bool) {
  AnswerEvent event;
  const auto root = open_event(json_, type, data, event);
  if (!root) {
    return event;
  }
  bool stop = false;
  event.known = (*root)["stop"].get(stop) == simdjson::SUCCESS;
  event.has_choice = event.known;
  event.finished = stop;
  event.finish_reason = text_at(*root, "stop_type");
  event.token_ids = listed_at(*root, "tokens");
  event.content = text_at(*root, "content");
  const auto output = count_at(*root, "tokens_predicted");
  const auto input = count_at(*root, "tokens_evaluated");
  if (output || input) {
    event.usage = Usage{input, output, std::nullopt, std::nullopt};
  }
  if (const auto timings = object_at(*root, "timings")) {
    times_.prefill = ms_at(*timings, "prompt_ms");
    times_.decode = ms_at(*timings, "predicted_ms");
    event.server = &times_;
  }
  return event;
}

AnswerEvent LlamaCppReader::read_whole(std::string_view body) {
  StreamMemory none;
  return read("", body, none, true);
}

const Dialect kLlamaCpp = {
    "llama.cpp",
    StreamEnd::kDoneOrFinish,
    PromptForm::kText,
    [](const RequestOptions&) -> std::string { return "/completion"; },
    body_of,
    []() -> std::unique_ptr<EventReader> { return std::make_unique<LlamaCppReader>(); },
    true};

}  // namespace steelyard::platform
