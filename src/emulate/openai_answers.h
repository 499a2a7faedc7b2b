// What an OpenAI-compatible server says: requests read, answers and stream events written.
// Shapes after vLLM's API server (0.x) and OpenAI's API reference.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/error.h"

namespace steelyard::emulate {

// The most that a request may ask for.
inline constexpr std::int64_t kMostOutputTokens = 1'000'000;

struct OpenAiRequest {
  bool chat = false;
  std::string model;
  bool stream = false;
  bool include_usage = false;
  std::int64_t input_tokens = 0;   // words of the prompt: there is no tokenizer here
  std::int64_t output_tokens = 0;  // 0: no limit was set
};

// An answer other than a stream.
struct Answer {
  int status = 200;
  std::string body;  // JSON, unless content_type says otherwise
  std::string content_type = "application/json";
};

// The error is the `message` that the client gets with a 400.
[[nodiscard]] tl::expected<OpenAiRequest, std::string> parse_openai_request(std::string_view body,
                                                                            bool chat);

// {"error": {"message", "type", "param", "code"}}
[[nodiscard]] Answer error_answer(int status, std::string_view message);
[[nodiscard]] Answer models_answer(std::string_view model);
// The whole of it at once.
[[nodiscard]] Answer completion_answer(const OpenAiRequest& request, std::string_view id);

// Events of one stream, each complete with "data: " and the empty line. Everything that does not
// change from token to token is written once.
class StreamEvents {
 public:
  StreamEvents(const OpenAiRequest& request, std::string_view id);
  // Chat's first chunk, which bears no token; "" for completions.
  [[nodiscard]] std::string_view role() const { return role_; }
  // Appends the event of tokens [first, first + count).
  void append_tokens(std::int64_t first, std::int64_t count, std::string& to) const;
  // finish_reason "length", usage where asked for, [DONE].
  [[nodiscard]] std::string ending(std::int64_t output_tokens) const;
  [[nodiscard]] static std::string error(std::string_view message);

 private:
  std::string prefix_;
  std::string suffix_;
  std::string role_;
  std::string finish_;
  std::string usage_head_;
  bool include_usage_;
  std::int64_t input_tokens_;
};

}  // namespace steelyard::emulate
