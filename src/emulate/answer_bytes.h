// A stream's bytes, made once: on the wire one HTTP chunk an event and one token an event. Every
// stream of the server sends the same ones (one id, one time of creation), so that writing a token
// costs a system call and nothing else, and a whole answer is one contiguous run.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "platform/emulated.h"

namespace steelyard::emulate {

// In every answer, so that nobody takes it for a platform's (platform/emulated.h).
inline constexpr std::string_view kTruthField = "x-steelyard-emulated: truth\r\n";
static_assert(kTruthField.starts_with(platform::kEmulatedField));

class AnswerBytes {
 public:
  static constexpr std::int64_t kRun = 4096;  // tokens that lie one after the other

  AnswerBytes(bool chat, std::string_view model);

  [[nodiscard]] std::string_view head(bool keep_alive) const {
    return keep_alive ? head_ : head_close_;
  }
  // Tokens [first, first + count), fewer where the run ends before; `count` is set to how many.
  [[nodiscard]] std::string_view tokens(std::int64_t first, std::int64_t& count) const;
  // The finish reason, usage where asked for, [DONE], and the end of the message.
  void append_ending(bool include_usage, std::int64_t input_tokens, std::int64_t output_tokens,
                     std::string& to) const;

 private:
  std::string head_;
  std::string head_close_;
  std::string run_;
  std::vector<std::size_t> starts_;  // of each token in run_, and its end
  std::string finish_;
  std::string end_;
  std::array<std::string, 4> usage_;  // around the prompt's, the total and the output's count
};

}  // namespace steelyard::emulate
