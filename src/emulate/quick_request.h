// The few fields of an OpenAI request that a server without a model needs, read without building a
// tree: the truth server must not spend its time on prompts.
#pragma once

#include <memory>
#include <string>

#include "emulate/voice.h"

namespace steelyard::emulate {

class QuickRequestReader {
 public:
  QuickRequestReader();
  ~QuickRequestReader();

  // `output_tokens` is 0 where the request sets no limit; `model` and the prompt are not looked at.
  // `input_tokens` is a quarter of the body's bytes: nothing is counted here. The error is the
  // `message` that the client gets with a 400. `body` may grow in capacity, not in size.
  [[nodiscard]] tl::expected<GenerationRequest, std::string> read(std::string& body, bool chat);

 private:
  struct Parser;
  std::unique_ptr<Parser> parser_;
};

}  // namespace steelyard::emulate
