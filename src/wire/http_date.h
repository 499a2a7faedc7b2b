// Dates as HTTP has them: RFC 9110, section 5.6.7.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/clock.h"

namespace steelyard::wire {

// "Sun, 06 Nov 1994 08:49:37 GMT" for nanoseconds since 1970.
[[nodiscard]] std::string http_date(base::Nanos wall);

// Nanoseconds since 1970, of any of the three forms that a recipient must take; absent for what is
// none. The day of the week is not looked at; a year of two digits is one of 1970 to 2069.
[[nodiscard]] std::optional<base::Nanos> parse_http_date(std::string_view text);

}  // namespace steelyard::wire
