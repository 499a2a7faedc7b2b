// `--definitions vllm,aiperf` or `all`: whose formulas to use beside ours.
#pragma once

#include <string_view>
#include <vector>

#include "base/error.h"
#include "measure/tool_definitions.h"

namespace steelyard::command {

// "" is none. A name that is not known is bad input.
[[nodiscard]] base::Result<std::vector<const measure::ToolDefinition*>> tools_of(
    std::string_view given);

}  // namespace steelyard::command
