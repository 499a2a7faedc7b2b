#include "study/suite_values.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "quantity/money.h"

namespace steelyard::study {

using base::YamlMap;
using base::YamlText;

std::string maybe_line(YamlMap& map, std::string_view key) {
  const auto given = map.maybe_located(key);
  if (!given) {
    return {};
  }
  std::string text = base::valid_utf8(base::trim(given->value));
  std::ranges::replace_if(text, [](char c) { return c == '\n' || c == '\r' || c == '\t'; }, ' ');
  if (base::has_control(text)) {
    complain(map, given->where, fmt::format("\"{}\" holds a control character", key),
             "text that any terminal and page can show");
    return {};
  }
  return text;
}

std::string line(YamlMap& map, std::string_view key) {
  std::string text = map.has(key) ? maybe_line(map, key) : map.text(key);
  if (text.empty()) {
    complain(map, map.where(key), fmt::format("\"{}\" is empty", key));
  }
  return text;
}

std::string currency(YamlMap& map, const YamlText& text) {
  const auto money = quantity::Money::parse(text.where, "0 " + text.value);
  if (!money) {
    complain(map, text.where, fmt::format("\"{}\" is not a currency", base::valid_utf8(text.value)),
             "a code of three capitals, such as USD or CNY");
    return text.value;
  }
  return money->currency();
}

}  // namespace steelyard::study
