// ShareGPT-style conversations.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "workload/request.h"

namespace steelyard::workload {

// Question and answer in turn; at least one pair, all of them text.
using Conversation = std::vector<Turn>;

// The conversations that begin with a question and its answer, in file order; of one, the turns up
// to where it stops alternating. A file that is not such JSON, or has none, is bad input.
[[nodiscard]] base::Result<std::vector<Conversation>> parse_sharegpt(const std::string& name,
                                                                     std::string_view content);

}  // namespace steelyard::workload
