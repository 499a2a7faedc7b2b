#pragma once

#include <string_view>

namespace steelyard::base {

// "0.1.0"
[[nodiscard]] std::string_view version();

}  // namespace steelyard::base
