#include "quantity/duration.h"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cmath>

#include "base/text.h"
#include "base/yaml_values.h"

namespace steelyard::quantity {
namespace {

struct Unit {
  std::string_view name;
  base::Nanos nanos;
};
// The largest first, as to_text looks for it. Minutes are "min": "m" is also read as metres or
// months.
constexpr std::array<Unit, 7> kUnits = {{{"d", 86400 * base::kSecond},
                                         {"h", 3600 * base::kSecond},
                                         {"min", 60 * base::kSecond},
                                         {"s", base::kSecond},
                                         {"ms", base::kMillisecond},
                                         {"us", base::kMicrosecond},
                                         {"ns", 1}}};
constexpr double kLongestNanos = 100.0 * 366 * 86400 * 1e9;

tl::unexpected<base::Error> refuse(const std::string& where, std::string_view text,
                                   std::string_view why) {
  return base::bad_input(where, fmt::format("\"{}\" {}", base::valid_utf8(text), why),
                         "a number and ns, us, ms, s, min, h or d, such as 500ms");
}

}  // namespace

base::Result<base::Nanos> parse_duration(const std::string& where, std::string_view text) {
  const std::string_view trimmed = base::trim(text);
  double number = 0;
  const auto [end, error] = std::from_chars(trimmed.data(), trimmed.data() + trimmed.size(), number,
                                            std::chars_format::fixed);
  if (error != std::errc{} || !std::isfinite(number)) {
    return refuse(where, text, "is not a duration");
  }
  if (number < 0) {
    return refuse(where, text, "is negative");
  }
  const std::string_view unit =
      base::trim(trimmed.substr(static_cast<std::size_t>(end - trimmed.data())));
  for (const Unit& known : kUnits) {
    if (unit == known.name) {
      const double nanos = number * static_cast<double>(known.nanos);
      return nanos <= kLongestNanos ? base::Result<base::Nanos>(std::llround(nanos))
                                    : refuse(where, text, "is longer than 100 years");
    }
  }
  return refuse(where, text, unit.empty() ? "has no unit" : "has an unknown unit");
}

std::string to_text(base::Nanos duration) {
  for (const Unit& unit : kUnits) {
    if (duration < unit.nanos) {
      continue;
    }
    // Only a unit in which the number ends within nine digits is exact; else a smaller one is.
    const std::string number = base::without_trailing_zeros(
        fmt::format("{:.9f}", static_cast<double>(duration) / static_cast<double>(unit.nanos)));
    const std::string text = number + std::string(unit.name);
    if (parse_duration("", text) == duration) {
      return text;
    }
  }
  return duration == 0 ? "0s" : fmt::format("{}ns", duration);
}

std::optional<base::Nanos> maybe_duration(base::YamlMap& map, std::string_view key) {
  const auto given = map.maybe_located(key);
  if (!given) {
    return std::nullopt;
  }
  return base::or_complain(map, parse_duration(given->where, given->value), base::Nanos{0});
}

}  // namespace steelyard::quantity
