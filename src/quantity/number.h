// Plain numbers of things, as flags and files give them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/error.h"

namespace steelyard::quantity {

// Requests a second, above 0: "10" and "10 req/s" (which vLLM's --request-rate means by 10),
// "600/min", "3600 req/h", "100000/day", and "inf" for all at once. `where` stands in the error.
[[nodiscard]] base::Result<double> parse_rate(const std::string& where, std::string_view text);

// "1000": digits only, from `least` on. "128k" is refused, as it may be 128,000 or 131,072.
[[nodiscard]] base::Result<std::int64_t> parse_count(const std::string& where,
                                                     std::string_view text, std::int64_t least);

}  // namespace steelyard::quantity
