// One's own prompts: JSON lines {"prompt": "...", "output_tokens": 128}, as vLLM's custom dataset;
// "max_tokens" is read as output_tokens, and either may be left out.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"

namespace steelyard::workload {

struct CustomPrompt {
  std::string prompt;
  std::optional<std::int64_t> output_tokens;
};

// A line that is no object with such a prompt, and a file without any, are bad input.
[[nodiscard]] base::Result<std::vector<CustomPrompt>> parse_custom(const std::string& name,
                                                                   std::string_view content);

}  // namespace steelyard::workload
