#include "platform/openai_dialect.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "platform/json_text.h"

namespace steelyard::platform {
namespace {

using element = JsonElement;

std::optional<std::int64_t> detail_at(element usage, std::string_view details,
                                      std::string_view key) {
  element object;
  return usage[details].get(object) == simdjson::SUCCESS ? count_at(object, key) : std::nullopt;
}

std::optional<Usage> usage_of(element root) {
  element usage;
  if ((root["usage"].get(usage) != simdjson::SUCCESS || !usage.is_object()) &&
      (root["x_groq"]["usage"].get(usage) != simdjson::SUCCESS || !usage.is_object())) {
    return std::nullopt;
  }
  return Usage{count_at(usage, "prompt_tokens"), count_at(usage, "completion_tokens"),
               detail_at(usage, "prompt_tokens_details", "cached_tokens"),
               detail_at(usage, "completion_tokens_details", "reasoning_tokens")};
}

// A piece with only an index or an id announces a call; the name or arguments are its tokens.
bool tool_call_in(element message) {
  simdjson::dom::array calls;
  if (message["tool_calls"].get(calls) != simdjson::SUCCESS) {
    return false;
  }
  for (const element call : calls) {
    element function;
    if (call["function"].get(function) == simdjson::SUCCESS &&
        (!text_at(function, "name").empty() || !text_at(function, "arguments").empty())) {
      return true;
    }
  }
  return false;
}

void keep_first(std::string_view& kept, std::string_view found) {
  if (kept.empty()) {
    kept = found;
  }
}

// Mistral's content of a thinking model: [{"type": "thinking", "thinking": [{"type": "text",
// "text":
// ...}]}, {"type": "text", "text": ...}].
void read_parts(const simdjson::dom::array& parts, AnswerEvent& event) {
  for (const element part : parts) {
    keep_first(event.content, text_at(part, "text"));
    simdjson::dom::array thoughts;
    if (part["thinking"].get(thoughts) == simdjson::SUCCESS) {
      for (const element thought : thoughts) {
        keep_first(event.reasoning, text_at(thought, "text"));
      }
    }
  }
}

void read_choice(element choice, AnswerEvent& event) {
  keep_first(event.content, text_at(choice, "text"));
  keep_first(event.finish_reason, text_at(choice, "finish_reason"));
  event.finished = !event.finish_reason.empty();
  event.token_ids += listed_at(choice, "token_ids");  // vLLM's, with return_token_ids
  for (const std::string_view part : {"delta", "message"}) {
    element message;
    if (choice[part].get(message) == simdjson::SUCCESS && message.is_object()) {
      keep_first(event.content, text_at(message, "content"));
      simdjson::dom::array parts;
      if (message["content"].get(parts) == simdjson::SUCCESS) {
        read_parts(parts, event);
      }
      keep_first(event.reasoning, text_at(message, "reasoning_content"));
      keep_first(event.reasoning, text_at(message, "reasoning"));
      event.has_tool_call = event.has_tool_call || tool_call_in(message);
    }
  }
}

}  // namespace

AnswerEvent OpenAiReader::read(std::string_view type, std::string_view data) {
  AnswerEvent event;
  const auto root = open_event(json_, type, data, event);
  if (!root) {
    return event;
  }
  simdjson::dom::array choices;
  if ((*root)["choices"].get(choices) == simdjson::SUCCESS) {
    event.known = true;
    for (const element choice : choices) {
      event.has_choice = true;
      read_choice(choice, event);
    }
  }
  event.usage = usage_of(*root);
  return event;
}

AnswerEvent OpenAiReader::read(std::string_view type, std::string_view data, StreamMemory& memory,
                               bool exact_text) {
  if (!type.empty()) {
    return read(type, data);
  }
  return memory.pattern.read(data, exact_text,
                             [this](std::string_view text) { return read("", text); });
}

namespace {

template <bool kChat>
base::Json body_of(const RequestOptions& options) {
  base::Json body = {{"model", options.model}};
  body[kChat ? "messages" : "prompt"] = kPromptMark;
  body[options.completion_limit ? "max_completion_tokens" : "max_tokens"] = kLimitMark;
  body["stream"] = options.stream;
  if (options.stream && options.ask_usage) {
    body["stream_options"] = {{"include_usage", true}};
  }
  if (options.ignore_eos) {
    body["ignore_eos"] = true;
  }
  if (options.temperature) {
    body["temperature"] = *options.temperature;
  }
  return body;
}

std::unique_ptr<EventReader> make_reader() { return std::make_unique<OpenAiReader>(); }

}  // namespace

const Dialect kOpenAiChat = {
    "openai-chat",
    StreamEnd::kDoneOrFinish,
    PromptForm::kMessages,
    [](const RequestOptions&) -> std::string { return "/v1/chat/completions"; },
    body_of<true>,
    make_reader,
    true};
const Dialect kOpenAiCompletions = {
    "openai",
    StreamEnd::kDoneOrFinish,
    PromptForm::kText,
    [](const RequestOptions&) -> std::string { return "/v1/completions"; },
    body_of<false>,
    make_reader,
    true};

}  // namespace steelyard::platform
