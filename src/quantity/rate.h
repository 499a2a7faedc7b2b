// Request rates, as flags give them.
#pragma once

#include <string>
#include <string_view>

#include "base/error.h"

namespace steelyard::quantity {

// Requests a second, above 0: "10" and "10 req/s" (which vLLM's --request-rate means by 10),
// "600/min", "3600 req/h", "100000/day", and "inf" for all at once. `where` stands in the error.
[[nodiscard]] base::Result<double> parse_rate(const std::string& where, std::string_view text);

}  // namespace steelyard::quantity
