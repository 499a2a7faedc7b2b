// ShareGPT-style conversations as prompts.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"

namespace steelyard::workload {

struct Conversation {
  std::string prompt;  // the first turn
  std::string answer;  // the second
};

// Conversations of at least two turns whose prompt and answer are text, in file order. A file that
// is not such JSON, or has none, is bad input.
[[nodiscard]] base::Result<std::vector<Conversation>> parse_sharegpt(const std::string& name,
                                                                     std::string_view content);

}  // namespace steelyard::workload
