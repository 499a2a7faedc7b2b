#include "quantity/price.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <vector>

#include "base/check.h"
#include "base/text.h"

namespace steelyard::quantity {
namespace {

constexpr std::string_view kForm = "a price and its unit, such as 0.79 USD/h or 0.15 USD/Mtok";
constexpr std::string_view kUnitForms = "/s, /min, /h, /GPU-h, /tok, /Ktok or /Mtok";

// Each unit as it is printed, and how many seconds or tokens it is.
struct Known {
  std::string_view name;
  std::int64_t size;
};
constexpr std::array<Known, 6> kKnown = {
    {{"s", 1}, {"min", 60}, {"h", 3600}, {"tok", 1}, {"Ktok", 1000}, {"Mtok", 1'000'000}}};

const Known& known(PriceUnit unit) { return kKnown[static_cast<std::size_t>(unit)]; }

// In lower case, without spaces, a plural's s or a leading 1.
struct Word {
  std::string_view word;
  PriceUnit unit;
};
constexpr std::array<Word, 21> kWords = {{{"s", PriceUnit::kSecond},
                                          {"sec", PriceUnit::kSecond},
                                          {"second", PriceUnit::kSecond},
                                          {"秒", PriceUnit::kSecond},
                                          {"min", PriceUnit::kMinute},
                                          {"minute", PriceUnit::kMinute},
                                          {"分钟", PriceUnit::kMinute},
                                          {"h", PriceUnit::kHour},
                                          {"hr", PriceUnit::kHour},
                                          {"hour", PriceUnit::kHour},
                                          {"小时", PriceUnit::kHour},
                                          {"时", PriceUnit::kHour},
                                          {"tok", PriceUnit::kToken},
                                          {"token", PriceUnit::kToken},
                                          {"ktok", PriceUnit::kThousandTokens},
                                          {"ktoken", PriceUnit::kThousandTokens},
                                          {"千token", PriceUnit::kThousandTokens},
                                          {"mtok", PriceUnit::kMillionTokens},
                                          {"mtoken", PriceUnit::kMillionTokens},
                                          {"milliontoken", PriceUnit::kMillionTokens},
                                          {"百万token", PriceUnit::kMillionTokens}}};

std::optional<PriceUnit> unit_of(std::string_view word) {
  if (word.starts_with("1k") || word.starts_with("1m")) {
    word.remove_prefix(1);
  }
  if (word.size() > 1 && word.ends_with('s')) {
    word.remove_suffix(1);
  }
  const auto* const found =
      std::find_if(kWords.begin(), kWords.end(), [&](const Word& w) { return w.word == word; });
  return found == kWords.end() ? std::nullopt : std::optional(found->unit);
}

// "GPU-h", "GPU/h" and "h/GPU" are one thing said three ways, and "卡时" is its Chinese.
bool take_gpu(std::string& unit) {
  for (const std::string_view gpu : {"gpu-", "gpu/", "卡"}) {
    if (unit.starts_with(gpu)) {
      unit.erase(0, gpu.size());
      return true;
    }
  }
  for (const std::string_view gpu : {"/gpu", "/卡"}) {
    if (unit.ends_with(gpu)) {
      unit.erase(unit.size() - gpu.size());
      return true;
    }
  }
  return false;
}

}  // namespace

base::Result<Price> parse_price(const std::string& where, std::string_view text) {
  const std::size_t slash = text.find('/');
  if (slash == std::string_view::npos) {
    return base::bad_input(where, fmt::format("\"{}\" has no unit", base::valid_utf8(text)),
                           std::string(kForm));
  }
  auto amount = Money::parse(where, text.substr(0, slash));
  if (!amount) {
    return tl::unexpected(amount.error());
  }
  std::string words = base::lower(text.substr(slash + 1));
  std::erase(words, ' ');
  const bool per_gpu = take_gpu(words);
  const auto unit = unit_of(words);
  if (!unit || (per_gpu && *unit > PriceUnit::kHour)) {
    return base::bad_input(where, fmt::format("\"{}\" has an unknown unit", base::valid_utf8(text)),
                           std::string(kUnitForms));
  }
  return Price{std::move(*amount), *unit, per_gpu};
}

Money Price::of_time(base::Nanos time) const {
  STEELYARD_CHECK(by_time() && time >= 0, "a price by time, and a time");
  return amount.scaled(time, known(unit).size * base::kSecond);
}

Money Price::of_tokens(std::int64_t tokens) const {
  STEELYARD_CHECK(!by_time() && tokens >= 0, "a price by token, and tokens");
  return amount.scaled(tokens, known(unit).size);
}

std::string to_text(const Price& price) {
  return fmt::format("{}/{}{}", price.amount.to_text(), price.per_gpu ? "GPU-" : "",
                     known(price.unit).name);
}

}  // namespace steelyard::quantity
