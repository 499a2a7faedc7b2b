// What an OpenAI-compatible server says: requests read, answers and stream events written.
// Shapes after vLLM's API server (0.x) and OpenAI's API reference.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "emulate/voice.h"

namespace steelyard::emulate {

[[nodiscard]] ParsedRequest parse_openai_request(std::string_view body, bool chat);

// {"error": {"message", "type", "param", "code"}}
[[nodiscard]] Answer error_answer(int status, std::string_view message);
[[nodiscard]] Answer models_answer(std::string_view model);
// The whole of it at once.
[[nodiscard]] Answer completion_answer(const GenerationRequest& request, std::string_view id);

// Chat's first chunk bears no token; the end is finish_reason "length", usage where asked for, and
// [DONE].
class OpenAiStream : public StreamWriter {
 public:
  OpenAiStream(const GenerationRequest& request, std::string_view id);
  [[nodiscard]] std::string_view opening() const override { return role_; }
  void append_tokens(std::int64_t first, std::int64_t count, std::string& to) const override;
  [[nodiscard]] std::string ending(std::int64_t output_tokens) const override;
  [[nodiscard]] std::string error(std::string_view message) const override;

 private:
  std::string prefix_;
  std::string suffix_;
  std::string role_;
  std::string finish_;
  std::string usage_head_;
  bool include_usage_;
  std::int64_t input_tokens_;
};

class OpenAiVoice : public Voice {
 public:
  [[nodiscard]] bool takes(std::string_view path) const override;
  [[nodiscard]] ParsedRequest parse(std::string_view path, std::string_view body) const override;
  [[nodiscard]] Answer error(int status, std::string_view message) const override;
  [[nodiscard]] Answer whole(const GenerationRequest& request, std::string_view id) const override;
  [[nodiscard]] std::unique_ptr<StreamWriter> stream(const GenerationRequest& request,
                                                     std::string_view id) const override;
  [[nodiscard]] std::string id_of(const GenerationRequest& request,
                                  std::string_view given) const override;
  [[nodiscard]] std::optional<Answer> look(std::string_view path,
                                           std::string_view model) const override;
};

}  // namespace steelyard::emulate
