#include "quantity/rate.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>

#include "base/text.h"

namespace steelyard::quantity {
namespace {

struct Period {
  std::string_view name;
  double seconds;
};
constexpr std::array<Period, 7> kPeriods = {
    {{"s", 1}, {"sec", 1}, {"min", 60}, {"h", 3600}, {"hour", 3600}, {"d", 86400}, {"day", 86400}}};

// What follows the number: nothing, or a slash and a period with or without "req" before it.
bool read_period(std::string_view text, double& seconds) {
  if (text.empty()) {
    return true;
  }
  for (const std::string_view requests : {"requests", "request", "reqs", "req"}) {
    if (text.starts_with(requests)) {
      text = base::trim(text.substr(requests.size()));
      break;
    }
  }
  if (!text.starts_with('/')) {
    return false;
  }
  const std::string_view name = base::trim(text.substr(1));
  const auto* const known = std::find_if(kPeriods.begin(), kPeriods.end(),
                                         [&](const Period& period) { return period.name == name; });
  if (known == kPeriods.end()) {
    return false;
  }
  seconds = known->seconds;
  return true;
}

}  // namespace

base::Result<double> parse_rate(const std::string& where, std::string_view text) {
  const std::string trimmed = base::lower(base::trim(text));
  if (trimmed == "inf") {
    return std::numeric_limits<double>::infinity();
  }
  double number = 0;
  double seconds = 1;
  const char* const last = trimmed.data() + trimmed.size();
  const auto [end, error] = std::from_chars(trimmed.data(), last, number, std::chars_format::fixed);
  const std::string_view unit =
      base::trim(std::string_view(end, static_cast<std::size_t>(last - end)));
  if (error != std::errc{} || !std::isfinite(number) || !read_period(unit, seconds) ||
      !(number / seconds > 0)) {
    return base::bad_input(where, fmt::format("\"{}\" is not a rate", base::valid_utf8(text)),
                           "requests a second above 0, such as 10, 10 req/s or 600/min, or inf");
  }
  return number / seconds;
}

}  // namespace steelyard::quantity
