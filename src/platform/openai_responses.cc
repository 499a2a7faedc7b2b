#include "platform/openai_responses.h"

#include <nlohmann/json.hpp>

namespace steelyard::platform {
namespace {

std::optional<std::int64_t> detail_at(JsonElement usage, std::string_view details,
                                      std::string_view key) {
  const auto object = object_at(usage, details);
  return object ? count_at(*object, key) : std::nullopt;
}

void read_usage(JsonElement response, AnswerEvent& event) {
  if (const auto usage = object_at(response, "usage")) {
    event.usage = Usage{count_at(*usage, "input_tokens"), count_at(*usage, "output_tokens"),
                        detail_at(*usage, "input_tokens_details", "cached_tokens"),
                        detail_at(*usage, "output_tokens_details", "reasoning_tokens")};
  }
}

// "completed"; of one that was cut, why: "max_output_tokens".
void read_end(JsonElement response, AnswerEvent& event) {
  event.finished = true;
  event.finish_reason = text_at(response, "status");
  if (const auto details = object_at(response, "incomplete_details")) {
    event.finish_reason = text_at(*details, "reason");
  }
  read_usage(response, event);
}

void read_failure(JsonElement response, AnswerEvent& event) {
  event.kind = AnswerEvent::Kind::kError;
  event.error = error_in(response, "the response failed").value_or("the response failed");
}

void read_delta(std::string_view of, JsonElement root, AnswerEvent& event) {
  const std::string_view delta = text_at(root, "delta");
  event.has_choice = true;
  if (of == "output_text" || of == "refusal") {
    event.content = delta;
  } else if (of == "reasoning_text" || of == "reasoning_summary_text") {
    event.reasoning = delta;
  } else if (of == "function_call_arguments" || of == "custom_tool_call_input" ||
             of == "mcp_call_arguments" || of == "code_interpreter_call_code") {
    event.has_tool_call = !delta.empty();
  }
}

// `name`: the type without its "response.".
void read_typed(std::string_view name, JsonElement root, AnswerEvent& event) {
  constexpr std::string_view kDelta = ".delta";
  if (name.ends_with(kDelta)) {
    return read_delta(name.substr(0, name.size() - kDelta.size()), root, event);
  }
  if (name == "output_item.added") {
    const auto item = object_at(root, "item");
    event.has_choice = true;
    event.has_tool_call = item && !text_at(*item, "name").empty();
    return;
  }
  const bool ends = name == "completed" || name == "incomplete";
  const bool failed = name == "failed" || name == "cancelled";
  const auto response = object_at(root, "response");
  if (response && ends) {
    read_end(*response, event);
  } else if (response && failed) {
    read_failure(*response, event);
  }
}

base::Json body_of(const RequestOptions& options) {
  base::Json body = {{"model", options.model},
                     {"input", kPromptMark},
                     {"max_output_tokens", kLimitMark},
                     {"stream", options.stream}};
  if (options.temperature) {
    body["temperature"] = *options.temperature;
  }
  return body;
}

}  // namespace

AnswerEvent ResponsesReader::read(std::string_view type, std::string_view data, StreamMemory&,
                                  bool) {
  AnswerEvent event;
  const auto root = open_event(json_, type, data, event);
  if (!root) {
    return event;
  }
  constexpr std::string_view kOurs = "response.";
  const std::string_view own = text_at(*root, "type");
  if (own.starts_with(kOurs)) {
    event.known = true;
    read_typed(own.substr(kOurs.size()), *root, event);
  } else if (own == "error") {  // one that came without the event's name
    event.kind = AnswerEvent::Kind::kError;
    const std::string_view words = text_at(*root, "message");
    event.error = words.empty() ? data : words;
  }
  return event;
}

AnswerEvent ResponsesReader::read_whole(std::string_view body) {
  AnswerEvent event;
  const auto root = open_event(json_, "", body, event);
  simdjson::dom::array items;
  if (!root || (*root)["output"].get(items) != simdjson::SUCCESS) {
    return event;
  }
  event.known = event.has_choice = true;
  text_.clear();
  thinking_.clear();
  for (const JsonElement item : items) {
    event.has_tool_call = event.has_tool_call || !text_at(item, "name").empty();
    std::string& into = text_at(item, "type") == "reasoning" ? thinking_ : text_;
    simdjson::dom::array parts;
    if (item["content"].get(parts) == simdjson::SUCCESS) {
      for (const JsonElement part : parts) {
        into += text_at(part, "text");
      }
    }
  }
  event.content = text_;
  event.reasoning = thinking_;
  read_end(*root, event);
  return event;
}

const Dialect kOpenAiResponses = {
    "openai-responses",
    StreamEnd::kDoneOrFinish,
    PromptForm::kMessages,
    [](const RequestOptions&) -> std::string { return "/v1/responses"; },
    body_of,
    []() -> std::unique_ptr<EventReader> { return std::make_unique<ResponsesReader>(); },
    false};

}  // namespace steelyard::platform
