// Requests in the OpenAI dialect.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

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

// Writes the JSON bodies of a run. What they have in common is made once; a body of its own is the
// prompt and the limit put in between, so that it can be made on the load engine's thread.
class OpenAiBody {
 public:
  // `options.extra_body` has passed check_extra_body.
  explicit OpenAiBody(const OpenAiOptions& options);

  // One exchange of the conversation before `prompt`.
  struct Turn {
    std::string_view user;
    std::string_view assistant;
  };
  // Appends a body to `into`. Invalid UTF-8 becomes U+FFFD. Completions have no turns: there the
  // conversation stands before the prompt as text.
  void write(std::span<const Turn> history, std::string_view prompt, std::int64_t output_tokens,
             std::string& into) const;

 private:
  void write_prompt(std::span<const Turn> history, std::string_view prompt,
                    std::string& into) const;

  bool chat_;
  std::vector<std::string> fixed_;  // before, between and after what is put in
  std::vector<bool> is_prompt_;  // what stands between fixed_[i] and fixed_[i + 1]: else the limit
};

// One body without history.
[[nodiscard]] std::string openai_body(const OpenAiOptions& options, std::string_view prompt,
                                      std::int64_t output_tokens);

}  // namespace steelyard::platform
