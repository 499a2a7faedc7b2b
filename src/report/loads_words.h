// What stands on the sheet of loads_svg.cc, in either language.
#pragma once

#include <string_view>

#include "report/language.h"

namespace steelyard::report {

// `{}` in some: a value of the sheet's.
struct LoadsWords {
  std::string_view language;
  std::string_view title, emulated, sla, target, knee, input, milliseconds, log, no_value;
  std::string_view all_tokens, all_requests, one_user, frontier, p50, p99, ring, band, misses;
  std::string_view at_once, per_second, bars, not_on_frontier;
};
[[nodiscard]] const LoadsWords& loads_words(Language language);

}  // namespace steelyard::report
