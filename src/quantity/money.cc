#include "quantity/money.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/check.h"
#include "base/text.h"

namespace steelyard::quantity {
namespace {

constexpr std::int64_t kOne = 1'000'000'000'000;
constexpr std::string_view kForm = "an amount and a currency, such as 0.79 USD";

struct Sign {
  std::string_view sign;
  std::string_view currency;
};
constexpr std::array<Sign, 4> kSigns = {{{"$", "USD"}, {"¥", "CNY"}, {"￥", "CNY"}, {"元", "CNY"}}};

// Takes a sign or a code of three capitals off either end.
std::string take_currency(std::string_view& text) {
  for (const Sign& known : kSigns) {
    if (text.starts_with(known.sign)) {
      text.remove_prefix(known.sign.size());
      return std::string(known.currency);
    }
    if (text.ends_with(known.sign)) {
      text.remove_suffix(known.sign.size());
      return std::string(known.currency);
    }
  }
  const auto capital = [](char c) { return c >= 'A' && c <= 'Z'; };
  const std::string_view code = text.size() > 3 ? text.substr(text.size() - 3) : "";
  if (code.empty() || !std::all_of(code.begin(), code.end(), capital)) {
    return {};
  }
  text.remove_suffix(3);
  return std::string(code);
}

Int128 divide_half_even(Int128 value, Int128 by) {
  Int128 quotient = value / by;
  const Int128 rest = value % by;
  const Int128 twice = rest < 0 ? -2 * rest : 2 * rest;
  if (twice > by || (twice == by && quotient % 2 != 0)) {
    quotient += value < 0 ? -1 : 1;
  }
  return quotient;
}

}  // namespace

base::Result<Money> Money::parse(const std::string& where, std::string_view text) {
  std::string_view rest = base::trim(text);
  const std::string currency = take_currency(rest);
  const std::string shown = base::valid_utf8(text);
  if (currency.empty()) {
    return base::bad_input(where, fmt::format("\"{}\" has no currency", shown), std::string(kForm));
  }
  const auto pico = read_decimal(base::trim(rest));
  if (!pico) {
    return base::bad_input(where, fmt::format("\"{}\" is not an amount of money", shown),
                           std::string(kForm));
  }
  return Money(*pico, currency);
}

double Money::amount() const { return static_cast<double>(pico_) / static_cast<double>(kOne); }

std::string Money::to_text() const {
  const Int128 size = pico_ < 0 ? -pico_ : pico_;
  const std::string text =
      base::without_trailing_zeros(fmt::format("{}.{:012}", static_cast<std::uint64_t>(size / kOne),
                                               static_cast<std::uint64_t>(size % kOne)));
  return (pico_ < 0 ? "-" : "") + text + " " + currency_;
}

Money Money::rounded(int places) const {
  STEELYARD_CHECK(places >= 0 && places <= kDecimalPlaces, "money has twelve places");
  Int128 step = 1;
  for (int i = places; i < kDecimalPlaces; ++i) {
    step *= 10;
  }
  return {divide_half_even(pico_, step) * step, currency_};
}

Money& Money::operator+=(const Money& other) {
  STEELYARD_CHECK(currency_ == other.currency_, "two currencies cannot be added");
  pico_ += other.pico_;
  return *this;
}

bool Money::exceeds(const Money& other) const {
  STEELYARD_CHECK(currency_ == other.currency_, "two currencies cannot be compared");
  return pico_ > other.pico_;
}

// pico_ is below 1e24 as parsed, and per and times / per are below 1e14, so that each product is
// below 1e38 and fits.
Money Money::scaled(std::int64_t times, std::int64_t per) const {
  STEELYARD_CHECK(per > 0, "a share of nothing");
  const Int128 whole = pico_ * (times / per);
  const Int128 rest = divide_half_even(pico_ * (times % per), per);
  return {whole + rest, currency_};
}

Money Money::exchanged(std::int64_t times, std::int64_t per, std::string currency) const {
  return {scaled(times, per).pico_, std::move(currency)};
}

}  // namespace steelyard::quantity
