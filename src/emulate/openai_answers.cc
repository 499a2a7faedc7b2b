#include "emulate/openai_answers.h"

#include <fmt/format.h>

#include <array>
#include <nlohmann/json.hpp>

#include "base/clock.h"
#include "base/json.h"
#include "base/text.h"

namespace steelyard::emulate {
namespace {

using base::Json;

constexpr std::size_t kLongestEcho = 80;
constexpr std::array<std::string_view, 16> kWords = {
    " the",   " load", " on", " one", " beam", " is",    " weighed", " and",
    " found", " to",   " be", " of",  " this", " price", " per",     " token"};

std::string_view word_at(std::int64_t index) {
  return kWords[static_cast<std::size_t>(index) % kWords.size()];
}

std::string text_of(std::int64_t tokens) {
  std::string text;
  for (std::int64_t i = 0; i < tokens; ++i) {
    text += word_at(i);
  }
  return text;
}

std::int64_t words_in(std::string_view text) {
  std::int64_t words = 0;
  bool inside = false;
  for (const char c : text) {
    const bool space = c == ' ' || c == '\n' || c == '\t' || c == '\r';
    words += !space && !inside ? 1 : 0;
    inside = !space;
  }
  return words;
}

// A string, a list of strings, or a list of {"type": "text", "text": ...}.
std::int64_t words_of(const Json& content) {
  if (content.is_string()) {
    return words_in(content.get_ref<const std::string&>());
  }
  std::int64_t words = 0;
  if (content.is_array()) {
    for (const Json& part : content) {
      words +=
          part.is_number() ? 1 : words_of(part.is_object() ? part.value("text", Json()) : part);
    }
  }
  return words;
}

using Parsed = tl::expected<OpenAiRequest, std::string>;

tl::expected<void, std::string> read_limit(const Json& body, OpenAiRequest& request) {
  for (const char* key : {"max_tokens", "max_completion_tokens"}) {
    if (!body.contains(key) || body[key].is_null()) {
      continue;
    }
    const Json& limit = body[key];
    if (!limit.is_number_integer() || limit < 1 || limit > kMostOutputTokens) {
      return tl::unexpected(fmt::format("{} must be an integer from 1 to {}, got {}", key,
                                        kMostOutputTokens,
                                        base::shorten(base::dump_json(limit), kLongestEcho)));
    }
    request.output_tokens = limit.get<std::int64_t>();
  }
  return {};
}

tl::expected<void, std::string> read_prompt(const Json& body, OpenAiRequest& request) {
  const char* key = request.chat ? "messages" : "prompt";
  if (!body.contains(key) || body[key].empty()) {
    return tl::unexpected(fmt::format("{} is required", key));
  }
  if (!request.chat) {
    request.input_tokens = words_of(body[key]);
    return {};
  }
  if (!body[key].is_array()) {
    return tl::unexpected(std::string("messages must be a list"));
  }
  for (const Json& message : body[key]) {
    if (!message.is_object() || !message.contains("role")) {
      return tl::unexpected(std::string("each message must be an object with a role"));
    }
    request.input_tokens += words_of(message.value("content", Json()));
  }
  return {};
}

Json usage_of(std::int64_t input, std::int64_t output) {
  return {
      {"prompt_tokens", input}, {"total_tokens", input + output}, {"completion_tokens", output}};
}

std::string event_of(const Json& json) { return "data: " + base::dump_json(json) + "\n\n"; }

std::int64_t unix_seconds() { return base::wall_now() / base::kSecond; }

}  // namespace

Parsed parse_openai_request(std::string_view text, bool chat) {
  const auto json = base::parse_json(text);
  if (!json || !json->is_object()) {
    return tl::unexpected("the body is " + (json ? "not a JSON object" : json.error()));
  }
  const Json& body = *json;
  OpenAiRequest request;
  request.chat = chat;
  if (!body.contains("model") || !body["model"].is_string()) {
    return tl::unexpected(std::string("model is required"));
  }
  request.model = body["model"];
  if (body.contains("stream") && !body["stream"].is_null()) {
    if (!body["stream"].is_boolean()) {
      return tl::unexpected(std::string("stream must be a boolean"));
    }
    request.stream = body["stream"];
  }
  if (body.contains("stream_options") && body["stream_options"].is_object()) {
    if (!request.stream) {
      return tl::unexpected(std::string("stream_options needs stream: true"));
    }
    const Json& asked = body["stream_options"];
    request.include_usage = asked.contains("include_usage") && asked["include_usage"] == true;
  }
  return read_limit(body, request).and_then([&] { return read_prompt(body, request); }).map([&] {
    return request;
  });
}

Answer error_answer(int status, std::string_view message) {
  std::string_view type = "server_error";
  if (status < 500) {
    type = status == 401   ? "authentication_error"
           : status == 429 ? "rate_limit_error"
           : status == 404 ? "not_found_error"
                           : "invalid_request_error";
  }
  const Json body = {
      {"error", {{"message", message}, {"type", type}, {"param", nullptr}, {"code", status}}}};
  return {status, base::dump_json(body)};
}

Answer models_answer(std::string_view model) {
  const Json body = {{"object", "list"},
                     {"data",
                      {{{"id", model},
                        {"object", "model"},
                        {"created", unix_seconds()},
                        {"owned_by", "steelyard-emulator"}}}}};
  return {200, base::dump_json(body)};
}

Answer completion_answer(const OpenAiRequest& request, std::string_view id) {
  const std::string text = text_of(request.output_tokens);
  Json choice = {{"index", 0}};
  if (request.chat) {
    choice["message"] = {{"role", "assistant"}, {"content", text}};
  } else {
    choice["text"] = text;
  }
  choice["logprobs"] = nullptr;
  choice["finish_reason"] = "length";
  const Json body = {{"id", id},
                     {"object", request.chat ? "chat.completion" : "text_completion"},
                     {"created", unix_seconds()},
                     {"model", request.model},
                     {"choices", Json::array({choice})},
                     {"usage", usage_of(request.input_tokens, request.output_tokens)}};
  return {200, base::dump_json(body)};
}

StreamEvents::StreamEvents(const OpenAiRequest& request, std::string_view id)
    : include_usage_(request.include_usage), input_tokens_(request.input_tokens) {
  const Json head = {{"id", id},
                     {"object", request.chat ? "chat.completion.chunk" : "text_completion"},
                     {"created", unix_seconds()},
                     {"model", request.model}};
  const auto event = [&](const Json& choice) {
    Json json = head;
    json["choices"] = Json::array({choice});
    return event_of(json);
  };
  const auto choice = [&](const Json& delta, const Json& finish) {
    Json json = {{"index", 0}};
    json[request.chat ? "delta" : "text"] = delta;
    json["logprobs"] = nullptr;
    json["finish_reason"] = finish;
    return json;
  };
  // The words hold nothing that JSON escapes, so an event may be cut where its text goes.
  constexpr std::string_view kMark = "<text>";
  const std::string whole =
      event(choice(request.chat ? Json{{"content", kMark}} : Json(kMark), nullptr));
  const std::size_t mark = whole.rfind(kMark);
  prefix_ = whole.substr(0, mark);
  suffix_ = whole.substr(mark + kMark.size());
  if (request.chat) {
    role_ = event(choice({{"role", "assistant"}, {"content", ""}}, nullptr));
  }
  finish_ = event(choice(request.chat ? Json::object() : Json(""), "length"));
  usage_head_ = base::dump_json(head);
}

void StreamEvents::append_tokens(std::int64_t first, std::int64_t count, std::string& to) const {
  to += prefix_;
  for (std::int64_t i = first; i < first + count; ++i) {
    to += word_at(i);
  }
  to += suffix_;
}

std::string StreamEvents::ending(std::int64_t output_tokens) const {
  std::string text = finish_;
  if (include_usage_) {
    Json json = base::parse_json(usage_head_).value();
    json["choices"] = Json::array();
    json["usage"] = usage_of(input_tokens_, output_tokens);
    text += event_of(json);
  }
  return text + "data: [DONE]\n\n";
}

std::string StreamEvents::error(std::string_view message) {
  return "data: " + error_answer(500, message).body + "\n\n";
}

}  // namespace steelyard::emulate
