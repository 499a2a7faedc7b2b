#include "emulate/openai_voice.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "base/clock.h"
#include "base/json.h"
#include "emulate/words.h"

namespace steelyard::emulate {
namespace {

using base::Json;

constexpr std::string_view kChatPath = "/v1/chat/completions";
constexpr std::string_view kTextPath = "/v1/completions";

tl::expected<void, std::string> read_limit(const Json& body, GenerationRequest& request) {
  for (const char* key : {"max_tokens", "max_completion_tokens"}) {
    const auto limit = limit_in(body, key);
    if (!limit) {
      return tl::unexpected(limit.error());
    }
    request.output_tokens = *limit > 0 ? *limit : request.output_tokens;
  }
  return {};
}

tl::expected<void, std::string> read_prompt(const Json& body, GenerationRequest& request) {
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

std::int64_t unix_seconds() { return base::wall_now() / base::kSecond; }

}  // namespace

ParsedRequest parse_openai_request(std::string_view text, bool chat) {
  const auto parsed = body_object(text);
  if (!parsed) {
    return tl::unexpected(parsed.error());
  }
  const Json& body = *parsed;
  GenerationRequest request;
  request.chat = chat;
  if (!body.contains("model") || !body["model"].is_string()) {
    return tl::unexpected(std::string("model is required"));
  }
  request.model = body["model"];
  const auto stream = flag_in(body, "stream", false);
  if (!stream) {
    return tl::unexpected(stream.error());
  }
  request.stream = *stream;
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

Answer completion_answer(const GenerationRequest& request, std::string_view id) {
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

OpenAiStream::OpenAiStream(const GenerationRequest& request, std::string_view id)
    : include_usage_(request.include_usage), input_tokens_(request.input_tokens) {
  const Json head = {{"id", id},
                     {"object", request.chat ? "chat.completion.chunk" : "text_completion"},
                     {"created", unix_seconds()},
                     {"model", request.model}};
  const auto event = [&](const Json& choice) {
    Json json = head;
    json["choices"] = Json::array({choice});
    return sse_data(json);
  };
  const auto choice = [&](const Json& delta, const Json& finish) {
    Json json = {{"index", 0}};
    json[request.chat ? "delta" : "text"] = delta;
    json["logprobs"] = nullptr;
    json["finish_reason"] = finish;
    return json;
  };
  const EventAround around(event(choice(
      request.chat ? Json{{"content", EventAround::kWords}} : Json(EventAround::kWords), nullptr)));
  prefix_ = around.before();
  suffix_ = around.after();
  if (request.chat) {
    role_ = event(choice({{"role", "assistant"}, {"content", ""}}, nullptr));
  }
  finish_ = event(choice(request.chat ? Json::object() : Json(""), "length"));
  usage_head_ = base::dump_json(head);
}

void OpenAiStream::append_tokens(std::int64_t first, std::int64_t count, std::string& to) const {
  to += prefix_;
  append_words(first, count, to);
  to += suffix_;
}

std::string OpenAiStream::ending(std::int64_t output_tokens) const {
  std::string text = finish_;
  if (include_usage_) {
    Json json = base::parse_json(usage_head_).value();
    json["choices"] = Json::array();
    json["usage"] = usage_of(input_tokens_, output_tokens);
    text += sse_data(json);
  }
  return text + "data: [DONE]\n\n";
}

std::string OpenAiStream::error(std::string_view message) const {
  return "data: " + error_answer(500, message).body + "\n\n";
}

bool OpenAiVoice::takes(std::string_view path) const {
  return path == kChatPath || path == kTextPath;
}

ParsedRequest OpenAiVoice::parse(std::string_view path, std::string_view body) const {
  return parse_openai_request(body, path == kChatPath);
}

Answer OpenAiVoice::error(int status, std::string_view message) const {
  return error_answer(status, message);
}

Answer OpenAiVoice::whole(const GenerationRequest& request, std::string_view id) const {
  return completion_answer(request, id);
}

std::unique_ptr<StreamWriter> OpenAiVoice::stream(const GenerationRequest& request,
                                                  std::string_view id) const {
  return std::make_unique<OpenAiStream>(request, id);
}

std::string OpenAiVoice::id_of(const GenerationRequest& request, std::string_view given) const {
  return fmt::format("{}-{}", request.chat ? "chatcmpl" : "cmpl", given);
}

std::optional<Answer> OpenAiVoice::look(std::string_view path, std::string_view model) const {
  return path == "/v1/models" ? std::optional(models_answer(model)) : std::nullopt;
}

}  // namespace steelyard::emulate
