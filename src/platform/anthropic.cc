#include "platform/anthropic.h"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

namespace steelyard::platform {
namespace {

std::optional<Usage> usage_in(JsonElement object, bool began) {
  const auto usage = object_at(object, "usage");
  if (!usage) {
    return std::nullopt;
  }
  Usage counts;
  counts.input_tokens =
      sum_at(*usage, {"input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens"});
  counts.cached_input_tokens = count_at(*usage, "cache_read_input_tokens");
  if (!began) {
    counts.output_tokens = count_at(*usage, "output_tokens");
  }
  return counts;
}

// A block as it begins, or in a whole answer: text, a thought, or a call with its name.
void read_block(JsonElement block, AnswerEvent& event) {
  event.content = text_at(block, "text");
  event.reasoning = text_at(block, "thinking");
  const std::string_view type = text_at(block, "type");
  event.has_tool_call =
      (type == "tool_use" || type == "server_tool_use" || type == "mcp_tool_use") &&
      !text_at(block, "name").empty();
}

void read_delta(JsonElement delta, AnswerEvent& event) {
  event.content = text_at(delta, "text");
  event.reasoning = text_at(delta, "thinking");
  event.has_tool_call = !text_at(delta, "partial_json").empty();
}

void read_reason(JsonElement object, AnswerEvent& event) {
  event.finish_reason = text_at(object, "stop_reason");
  event.finished = !event.finish_reason.empty();
}

void read_typed(std::string_view type, JsonElement root, AnswerEvent& event) {
  event.has_choice = true;
  if (type == "content_block_delta") {
    if (const auto delta = object_at(root, "delta")) {
      read_delta(*delta, event);
    }
  } else if (type == "content_block_start") {
    if (const auto block = object_at(root, "content_block")) {
      read_block(*block, event);
    }
  } else if (type == "message_start") {
    if (const auto message = object_at(root, "message")) {
      event.usage = usage_in(*message, true);
    }
  } else if (type == "message_delta") {
    if (const auto delta = object_at(root, "delta")) {
      read_reason(*delta, event);
    }
    event.usage = usage_in(root, false);
  } else if (type == "message_stop") {
    event.kind = AnswerEvent::Kind::kDone;
  } else {  // content_block_stop, ping
    event.has_choice = false;
  }
}

bool is_ours(std::string_view type) {
  constexpr std::array<std::string_view, 7> kTypes = {"content_block_delta",
                                                      "content_block_start",
                                                      "content_block_stop",
                                                      "message_start",
                                                      "message_delta",
                                                      "message_stop",
                                                      "ping"};
  return std::ranges::find(kTypes, type) != kTypes.end();
}

base::Json body_of(const RequestOptions& options) {
  base::Json body = {{"model", options.model},
                     {"messages", kPromptMark},
                     {"max_tokens", kLimitMark},
                     {"stream", options.stream}};
  if (options.temperature) {
    body["temperature"] = *options.temperature;
  }
  return body;
}

}  // namespace

AnswerEvent AnthropicReader::read(std::string_view type, std::string_view data, StreamMemory&,
                                  bool) {
  AnswerEvent event;
  const auto root = open_event(json_, type, data, event);
  if (!root) {
    return event;
  }
  const std::string_view own = text_at(*root, "type");
  if (is_ours(own)) {
    event.known = true;
    read_typed(own, *root, event);
  }
  return event;
}

AnswerEvent AnthropicReader::read_whole(std::string_view body) {
  AnswerEvent event;
  const auto root = open_event(json_, "", body, event);
  simdjson::dom::array blocks;
  if (!root || (*root)["content"].get(blocks) != simdjson::SUCCESS) {
    return event;
  }
  event.known = event.has_choice = true;
  text_.clear();
  thinking_.clear();
  for (const JsonElement block : blocks) {
    AnswerEvent one;
    read_block(block, one);
    text_ += one.content;
    thinking_ += one.reasoning;
    event.has_tool_call = event.has_tool_call || one.has_tool_call;
  }
  event.content = text_;
  event.reasoning = thinking_;
  read_reason(*root, event);
  event.usage = usage_in(*root, false);
  return event;
}

const Dialect kAnthropic = {
    "anthropic",
    StreamEnd::kDoneOrFinish,
    PromptForm::kMessages,
    [](const RequestOptions&) -> std::string { return "/v1/messages"; },
    body_of,
    []() -> std::unique_ptr<EventReader> { return std::make_unique<AnthropicReader>(); },
    false};

}  // namespace steelyard::platform
