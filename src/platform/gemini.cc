#include "platform/gemini.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "base/text.h"
#include "wire/json_array.h"

namespace steelyard::platform {
namespace {

void read_usage(JsonElement root, AnswerEvent& event) {
  const auto usage = object_at(root, "usageMetadata");
  if (!usage) {
    return;
  }
  Usage counts;
  counts.input_tokens = count_at(*usage, "promptTokenCount");
  counts.output_tokens = count_at(*usage, "candidatesTokenCount");
  counts.cached_input_tokens = count_at(*usage, "cachedContentTokenCount");
  counts.reasoning_tokens = count_at(*usage, "thoughtsTokenCount");
  if (counts.reasoning_tokens) {
    counts.output_tokens = counts.output_tokens.value_or(0) + *counts.reasoning_tokens;
  }
  event.known = true;
  event.usage = counts;
}

std::string path_of(const RequestOptions& options) {
  const std::string_view call =
      options.stream ? "streamGenerateContent?alt=sse" : "generateContent";
  const std::string& model = options.model;
  if (model.starts_with("publishers/") || model.starts_with("projects/")) {
    return fmt::format("/v1/{}:{}", model, call);
  }
  return fmt::format("/v1beta/{}{}:{}", model.starts_with("models/") ? "" : "models/", model, call);
}

base::Json body_of(const RequestOptions& options) {
  base::Json config = {{"maxOutputTokens", kLimitMark}};
  if (options.temperature) {
    config["temperature"] = *options.temperature;
  }
  const base::Json part = {{"text", kPromptMark}};
  const base::Json turn = {{"role", "user"}, {"parts", base::Json::array({part})}};
  return {{"contents", base::Json::array({turn})}, {"generationConfig", config}};
}

}  // namespace

void GeminiReader::read_candidate(JsonElement candidate, AnswerEvent& event) {
  event.has_choice = true;
  if (const std::string_view reason = text_at(candidate, "finishReason"); !reason.empty()) {
    reason_ = reason;
  }
  const auto content = object_at(candidate, "content");
  simdjson::dom::array parts;
  if (!content || (*content)["parts"].get(parts) != simdjson::SUCCESS) {
    return;
  }
  for (const JsonElement part : parts) {
    bool thought = false;
    const bool thinks = part["thought"].get(thought) == simdjson::SUCCESS && thought;
    (thinks ? thinking_ : text_) += text_at(part, "text");
    event.has_tool_call =
        event.has_tool_call || object_at(part, "functionCall") || object_at(part, "executableCode");
  }
}

void GeminiReader::read_object(std::string_view type, std::string_view data, AnswerEvent& event) {
  const auto root = open_event(json_, type, data, event);
  if (!root) {
    return;
  }
  simdjson::dom::array candidates;
  if ((*root)["candidates"].get(candidates) == simdjson::SUCCESS) {
    event.known = true;
    for (const JsonElement candidate : candidates) {
      read_candidate(candidate, event);
      break;  // one was asked for
    }
  }
  if (const auto feedback = object_at(*root, "promptFeedback")) {
    event.known = true;
    reason_ += text_at(*feedback, "blockReason");
  }
  read_usage(*root, event);
}

AnswerEvent GeminiReader::read(std::string_view type, std::string_view data, StreamMemory&, bool) {
  AnswerEvent event;
  text_.clear();
  thinking_.clear();
  reason_.clear();
  read_object(type, data, event);
  event.content = text_;
  event.reasoning = thinking_;
  event.finish_reason = reason_;
  event.finished = !reason_.empty();
  return event;
}

AnswerEvent GeminiReader::read_whole(std::string_view body) {
  if (!base::trim(body).starts_with('[')) {
    StreamMemory none;
    return read("", body, none, true);
  }
  AnswerEvent event;
  text_.clear();
  thinking_.clear();
  reason_.clear();
  wire::JsonArraySplitter array;
  array.feed(body, [&](std::string_view element) {
    if (event.kind == AnswerEvent::Kind::kChunk) {
      read_object("", element, event);
    }
  });
  if (!array.finish() && event.kind == AnswerEvent::Kind::kChunk) {
    event.kind = AnswerEvent::Kind::kMalformed;
    event.error = "not a JSON array";
  }
  event.content = text_;
  event.reasoning = thinking_;
  event.finish_reason = reason_;
  event.finished = !reason_.empty();
  return event;
}

const Dialect kGemini = {
    "gemini",
    StreamEnd::kDoneOrFinish,
    PromptForm::kText,
    path_of,
    body_of,
    []() -> std::unique_ptr<EventReader> { return std::make_unique<GeminiReader>(); },
    false};

}  // namespace steelyard::platform
