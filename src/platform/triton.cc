#include "platform/triton.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

namespace steelyard::platform {
namespace {

std::string path_of(const RequestOptions& options) {
  return fmt::format("/v2/models/{}/generate{}", options.model, options.stream ? "_stream" : "");
}

base::Json vllm_body(const RequestOptions& options) {
  base::Json parameters = {{"stream", options.stream}, {"max_tokens", kLimitMark}};
  if (options.temperature) {
    parameters["temperature"] = *options.temperature;
  }
  if (options.ignore_eos) {
    parameters["ignore_eos"] = true;
  }
  return {{"text_input", kPromptMark}, {"parameters", parameters}};
}

base::Json ensemble_body(const RequestOptions& options) {
  base::Json body = {{"text_input", kPromptMark},
                     {"max_tokens", kLimitMark},
                     {"bad_words", ""},
                     {"stop_words", ""},
                     {"stream", options.stream}};
  if (options.temperature) {
    body["temperature"] = *options.temperature;
  }
  return body;
}

std::unique_ptr<EventReader> make_reader() { return std::make_unique<TritonReader>(); }

}  // namespace

AnswerEvent TritonReader::read_alone(std::string_view type, std::string_view data) {
  AnswerEvent event;
  const auto root = open_event(json_, type, data, event);
  if (root) {
    JsonElement text;
    event.known = (*root)["text_output"].get(text) == simdjson::SUCCESS;
    event.has_choice = event.known;
    event.content = text_at(*root, "text_output");
  }
  return event;
}

AnswerEvent TritonReader::read(std::string_view type, std::string_view data, StreamMemory& memory,
                               bool exact_text) {
  if (!type.empty()) {
    return read_alone(type, data);
  }
  return memory.pattern.read(data, exact_text,
                             [this](std::string_view text) { return read_alone("", text); });
}

AnswerEvent TritonReader::read_whole(std::string_view body) { return read_alone("", body); }

const Dialect kTriton = {
    "triton", StreamEnd::kBytes, PromptForm::kText, path_of, vllm_body, make_reader, true};
const Dialect kTritonTrtLlm = {"triton-trtllm",
                               StreamEnd::kBytes,
                               PromptForm::kText,
                               path_of,
                               ensemble_body,
                               make_reader,
                               false};

}  // namespace steelyard::platform
