#include "platform/bedrock.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "base/encoding.h"

namespace steelyard::platform {
namespace {

constexpr std::array<std::string_view, 6> kConverseEvents = {
    "contentBlockDelta", "contentBlockStart", "contentBlockStop",
    "messageStart",      "messageStop",       "metadata"};

bool is_converse(std::string_view type) {
  return std::ranges::find(kConverseEvents, type) != kConverseEvents.end();
}

// A delta, or a block of a whole answer.
void read_block(JsonElement block, AnswerEvent& event) {
  event.content = text_at(block, "text");
  if (const auto thought = object_at(block, "reasoningContent")) {
    event.reasoning = text_at(*thought, "text");
    if (const auto whole = object_at(*thought, "reasoningText")) {
      event.reasoning = text_at(*whole, "text");
    }
  }
  if (const auto tool = object_at(block, "toolUse")) {
    event.has_tool_call = !text_at(*tool, "name").empty() || !text_at(*tool, "input").empty();
  }
}

void read_reason(JsonElement object, AnswerEvent& event) {
  event.finish_reason = text_at(object, "stopReason");
  event.finished = !event.finish_reason.empty();
}

// A body that is no answer: {"message": "..."}.
void read_refusal(JsonElement root, AnswerEvent& event) {
  if (const std::string_view words = text_at(root, "message"); !words.empty()) {
    event.kind = AnswerEvent::Kind::kError;
    event.error = words;
  }
}

// The model's name stands in the path, its ":" escaped; the signature escapes it once more.
std::string path_of(const RequestOptions& options, std::string_view call, std::string_view stream) {
  return fmt::format("/model/{}/{}", base::percent_encode(options.model),
                     options.stream ? stream : call);
}

base::Json converse_body(const RequestOptions& options) {
  base::Json config = {{"maxTokens", kLimitMark}};
  if (options.temperature) {
    config["temperature"] = *options.temperature;
  }
  return {{"messages", kPromptMark}, {"inferenceConfig", config}};
}

}  // namespace

void ConverseReader::read_metadata(JsonElement root, AnswerEvent& event) {
  if (const auto usage = object_at(root, "usage")) {
    // As Anthropic's, the input is counted without what a cache held.
    event.usage = Usage{
        sum_at(*usage, {"inputTokens", "cacheReadInputTokens", "cacheWriteInputTokens"}),
        count_at(*usage, "outputTokens"), count_at(*usage, "cacheReadInputTokens"), std::nullopt};
  }
  if (const auto metrics = object_at(root, "metrics")) {
    times_ = {};
    times_.execute = ms_at(*metrics, "latencyMs");
    event.server = &times_;
  }
}

AnswerEvent ConverseReader::read(std::string_view type, std::string_view data, StreamMemory&,
                                 bool) {
  AnswerEvent event;
  const auto root = open_event(json_, type, data, event);
  return root && is_converse(type) ? read(type, *root) : event;
}

AnswerEvent ConverseReader::read(std::string_view type, JsonElement root) {
  AnswerEvent event;
  event.known = true;
  event.has_choice = type != "metadata" && type != "contentBlockStop";
  if (type == "contentBlockDelta" || type == "contentBlockStart") {
    const auto block = object_at(root, type == "contentBlockDelta" ? "delta" : "start");
    if (block) {
      read_block(*block, event);
    }
  } else if (type == "messageStop") {
    read_reason(root, event);
  } else if (type == "metadata") {
    read_metadata(root, event);
  }
  return event;
}

AnswerEvent ConverseReader::read_whole(std::string_view body) {
  AnswerEvent event;
  const auto root = open_event(json_, "", body, event);
  const auto output = root ? object_at(*root, "output") : std::nullopt;
  const auto message = output ? object_at(*output, "message") : std::nullopt;
  simdjson::dom::array blocks;
  if (!message || (*message)["content"].get(blocks) != simdjson::SUCCESS) {
    if (root) {
      read_refusal(*root, event);
    }
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
  read_metadata(*root, event);
  return event;
}

const Dialect kBedrockConverse = {
    "bedrock-converse",
    StreamEnd::kDoneOrFinish,
    PromptForm::kParts,
    [](const RequestOptions& options) -> std::string {
      return path_of(options, "converse", "converse-stream");
    },
    converse_body,
    []() -> std::unique_ptr<EventReader> { return std::make_unique<ConverseReader>(); },
    false};

namespace {

constexpr std::string_view kMetrics = "amazon-bedrock-invocationMetrics";

// The models whose answers are flat objects name the same things in their own words.
struct FlatModel {
  std::string_view text;
  std::string_view reason;
  std::string_view input;
  std::string_view output;
};
constexpr std::array<FlatModel, 2> kFlatModels = {{
    {"generation", "stop_reason", "prompt_token_count", "generation_token_count"},  // Llama
    {"outputText", "completionReason", "inputTextTokenCount",
     "totalOutputTextTokenCount"},  // Titan
}};

// {"outputs": [{"text", "stop_reason"}]} (Mistral), {"results": [{"outputText", ...}]} (Titan,
// whole): the object that has the text.
JsonElement inside(JsonElement root) {
  for (const std::string_view key : {"outputs", "results"}) {
    simdjson::dom::array list;
    if (root[key].get(list) == simdjson::SUCCESS) {
      for (const JsonElement first : list) {
        return first;
      }
    }
  }
  return root;
}

bool has(JsonElement object, std::string_view key) {
  JsonElement found;
  return object[key].get(found) == simdjson::SUCCESS;
}

// Each family of models wants a body of its own.
base::Json invoke_body(const RequestOptions& options) {
  const std::string& model = options.model;
  const auto is = [&](std::string_view family) { return model.find(family) != std::string::npos; };
  const base::Json turn = {{"role", "user"}, {"content", kPromptMark}};
  base::Json body;
  if (is("meta.")) {
    body = {{"prompt", kPromptMark}, {"max_gen_len", kLimitMark}};
  } else if (is("amazon.titan")) {
    return {{"inputText", kPromptMark}, {"textGenerationConfig", {{"maxTokenCount", kLimitMark}}}};
  } else if (is("amazon.nova")) {
    const base::Json part = {{"text", kPromptMark}};
    const base::Json parts = {{"role", "user"}, {"content", base::Json::array({part})}};
    return {{"messages", base::Json::array({parts})},
            {"inferenceConfig", {{"maxTokens", kLimitMark}}}};
  } else if (is("mistral.")) {
    body = {{"prompt", kPromptMark}, {"max_tokens", kLimitMark}};
  } else {
    body = {{"messages", base::Json::array({turn})}, {"max_tokens", kLimitMark}};
  }
  if (is("anthropic.")) {
    body["anthropic_version"] = "bedrock-2023-05-31";
  }
  if (options.temperature) {
    body["temperature"] = *options.temperature;
  }
  return body;
}

}  // namespace

AnswerEvent InvokeReader::read_flat(std::string_view data) {
  AnswerEvent event;
  const auto root = json_.object(data);
  if (!root) {
    return event;
  }
  const JsonElement answer = inside(*root);
  for (const FlatModel& model : kFlatModels) {
    if (has(answer, model.text)) {
      event.known = event.has_choice = true;
      event.content = text_at(answer, model.text);
      event.finish_reason = text_at(answer, model.reason);
      const auto input = count_at(*root, model.input);
      const auto output = count_at(*root, model.output);
      if (input || output) {
        event.usage = Usage{input, output, std::nullopt, std::nullopt};
      }
    }
  }
  if (has(answer, "text")) {
    event.known = event.has_choice = true;
    event.content = text_at(answer, "text");
    event.finish_reason = text_at(answer, "stop_reason");
  }
  event.finished = !event.finish_reason.empty();
  if (!event.known) {
    read_refusal(*root, event);
  }
  return event;
}

// Stands in the model's last event; a [DONE] or message_stop with counts in it is an event like
// others, and the end.
void InvokeReader::read_metrics(std::string_view data, AnswerEvent& event) {
  if (data.find(kMetrics) == std::string_view::npos) {
    return;
  }
  const auto root = metrics_.object(data);
  const auto metrics = root ? object_at(*root, kMetrics) : std::nullopt;
  if (!metrics) {
    return;
  }
  if (event.kind == AnswerEvent::Kind::kDone) {
    event.kind = AnswerEvent::Kind::kChunk;
    event.finished = true;
  }
  event.known = true;
  event.usage.emplace(event.usage.value_or(Usage{}))
      .update({count_at(*metrics, "inputTokenCount"), count_at(*metrics, "outputTokenCount"),
               count_at(*metrics, "cacheReadInputTokenCount"), std::nullopt});
  times_ = {};
  times_.execute = ms_at(*metrics, "invocationLatency");
  event.server = &times_;
}

AnswerEvent InvokeReader::read_model(std::string_view data, StreamMemory& memory, bool whole) {
  AnswerEvent event;
  const auto root = open_event(json_, "", data, event);
  if (!root) {
    return event;
  }
  if (has(*root, "choices")) {
    event = openai_.read("", data);
  } else if (has(*root, "type")) {
    event = whole ? anthropic_.read_whole(data) : anthropic_.read("", data, memory, true);
  } else if (has(*root, "output")) {
    event = nova_.read_whole(data);
  } else {
    for (const std::string_view name : kConverseEvents) {
      if (const auto wrapped = object_at(*root, name)) {
        event = nova_.read(name, *wrapped);
        read_metrics(data, event);
        return event;
      }
    }
    event = read_flat(data);
  }
  read_metrics(data, event);
  return event;
}

AnswerEvent InvokeReader::read(std::string_view type, std::string_view data, StreamMemory& memory,
                               bool) {
  AnswerEvent event;
  const auto root = open_event(json_, type, data, event);
  if (!root || !has(*root, "bytes")) {
    return event;
  }
  if (!base::from_base64(text_at(*root, "bytes"), unwrapped_)) {
    event.kind = AnswerEvent::Kind::kMalformed;
    event.error = "its bytes are not base64";
    return event;
  }
  return read_model(unwrapped_, memory, false);
}

AnswerEvent InvokeReader::read_whole(std::string_view body) {
  StreamMemory none;
  return read_model(body, none, true);
}

const Dialect kBedrockInvoke = {
    "bedrock-invoke",
    StreamEnd::kDoneOrFinish,
    PromptForm::kText,
    [](const RequestOptions& options) -> std::string {
      return path_of(options, "invoke", "invoke-with-response-stream");
    },
    invoke_body,
    []() -> std::unique_ptr<EventReader> { return std::make_unique<InvokeReader>(); },
    false};

}  // namespace steelyard::platform
