// The JSON bodies of a run. What they have in common is made once; a body of its own is the prompt
// and the limit put in between, so that it can be made on the load engine's thread.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"

namespace steelyard::platform {

// One exchange of the conversation before a prompt.
struct PastTurn {
  std::string_view user;
  std::string_view assistant;
};

// How a conversation is put into a body.
enum class PromptForm : std::uint8_t {
  kText,      // one JSON string; what came before stands before it, as text
  kMessages,  // [{"role": "user", "content": "..."}, ...]
  kParts,     // the same with "content": [{"text": "..."}]
};

// Stand for what each body has of its own. A prompt cannot hold them: they are put in afterwards.
inline constexpr std::string_view kPromptMark = "\x01prompt";
inline constexpr std::string_view kLimitMark = "\x01limit";

class BodyTemplate {
 public:
  // `body` has the marks as string values, at any depth; one that is missing is not put in.
  BodyTemplate(const base::Json& body, PromptForm form);

  // Appends a body to `into`. Invalid UTF-8 becomes U+FFFD.
  void write(std::span<const PastTurn> history, std::string_view prompt, std::int64_t output_tokens,
             std::string& into) const;

 private:
  void write_prompt(std::span<const PastTurn> history, std::string_view prompt,
                    std::string& into) const;

  PromptForm form_;
  std::vector<std::string> fixed_;  // before, between and after what is put in
  std::vector<bool> is_prompt_;  // what stands between fixed_[i] and fixed_[i + 1]: else the limit
};

}  // namespace steelyard::platform
