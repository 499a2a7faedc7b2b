#include "platform/openai_request.h"

#include <nlohmann/json.hpp>

#include "base/json.h"

namespace steelyard::platform {

using base::Json;

std::string_view path_of(OpenAiEndpoint endpoint) {
  return endpoint == OpenAiEndpoint::kChat ? "/v1/chat/completions" : "/v1/completions";
}

std::string path_under(const wire::Url& base_url, std::string_view path) {
  constexpr std::string_view kVersion = "/v1";
  if (base_url.path.ends_with(kVersion) && path.starts_with("/v1/")) {
    path.remove_prefix(kVersion.size());
  }
  return std::string(path);
}

base::Status check_extra_body(const std::string& where, const std::string& text) {
  if (text.empty()) {
    return {};
  }
  const auto json = base::parse_json(text);
  if (json && json->is_object()) {
    return {};
  }
  return base::bad_input(where, json ? "not a JSON object" : json.error(),
                         R"(a JSON object, for example {"top_p": 0.9})");
}

std::string openai_body(const OpenAiOptions& options, std::string_view prompt,
                        std::int64_t output_tokens) {
  Json body = {{"model", options.model}};
  if (options.endpoint == OpenAiEndpoint::kChat) {
    body["messages"] = {{{"role", "user"}, {"content", prompt}}};
  } else {
    body["prompt"] = prompt;
  }
  body[options.completion_limit ? "max_completion_tokens" : "max_tokens"] = output_tokens;
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
  if (!options.extra_body.empty()) {
    body.update(base::parse_json(options.extra_body).value());  // checked by check_extra_body
  }
  return base::dump_json(body);
}

}  // namespace steelyard::platform
