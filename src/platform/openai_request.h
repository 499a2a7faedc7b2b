// Requests in the OpenAI dialect.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/error.h"
#include "wire/url.h"

namespace steelyard::platform {

enum class OpenAiEndpoint : std::uint8_t { kCompletions, kChat };

// "/v1/completions" and "/v1/chat/completions".
[[nodiscard]] std::string_view path_of(OpenAiEndpoint endpoint);

// A path of ours put after a base URL's own, which may end in /v1 already, as the OpenAI SDK wants
// it.
[[nodiscard]] std::string path_under(const wire::Url& base_url, std::string_view path);

// What every request of a run has in common.
struct OpenAiOptions {
  OpenAiEndpoint endpoint = OpenAiEndpoint::kChat;
  std::string model;
  bool stream = true;
  bool ask_usage = true;          // stream_options.include_usage, only with `stream`
  bool ignore_eos = false;        // vLLM's and SGLang's extension
  bool completion_limit = false;  // the limit's name: max_completion_tokens instead of max_tokens
  std::optional<double> temperature;
  std::string extra_body;  // a JSON object, whose keys win; "" for none
};

// `extra_body` that is no JSON object is bad input; `where` names it.
[[nodiscard]] base::Status check_extra_body(const std::string& where, const std::string& text);

// The JSON body. Invalid UTF-8 in the prompt becomes U+FFFD.
[[nodiscard]] std::string openai_body(const OpenAiOptions& options, std::string_view prompt,
                                      std::int64_t output_tokens);

}  // namespace steelyard::platform
