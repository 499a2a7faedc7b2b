// Figures as the terminal and Markdown show them.
#pragma once

#include <optional>
#include <string>

#include "measure/percentile.h"

namespace steelyard::report {

// Four digits, more only between 10,000 and a million: "95.3", "12345", "2.8 M"; "-" when absent.
[[nodiscard]] std::string number(const std::optional<double>& value);

// The same, with a "!" where n is too small: the percentile's interval is open.
[[nodiscard]] std::string percentile_text(const std::optional<measure::Percentile>& percentile);

}  // namespace steelyard::report
