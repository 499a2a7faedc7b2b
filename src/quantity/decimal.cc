#include "quantity/decimal.h"

#include <algorithm>
#include <string>

namespace steelyard::quantity {

std::optional<Int128> read_decimal(std::string_view text) {
  constexpr std::size_t kMost = kDecimalPlaces;
  const std::size_t dot = text.find('.');
  const std::string_view whole = text.substr(0, dot);
  const std::string_view part = dot == std::string_view::npos ? "" : text.substr(dot + 1);
  const auto digit = [](char c) { return c >= '0' && c <= '9'; };
  if (whole.empty() || whole.size() > kMost || part.size() > kMost ||
      (dot != std::string_view::npos && part.empty()) ||
      !std::all_of(whole.begin(), whole.end(), digit) ||
      !std::all_of(part.begin(), part.end(), digit)) {
    return std::nullopt;
  }
  std::string digits = std::string(whole) + std::string(part);
  digits.append(kMost - part.size(), '0');
  Int128 value = 0;
  for (const char c : digits) {
    value = value * 10 + (c - '0');
  }
  return value;
}

}  // namespace steelyard::quantity
