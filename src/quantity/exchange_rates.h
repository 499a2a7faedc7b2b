// Exchange rates of one day from one source. An amount is converted where people want to compare,
// and the rate stands beside it with its date: the same offer is dearer or cheaper next month.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "base/error.h"
#include "quantity/money.h"

namespace steelyard::quantity {

// How much of a currency one unit of the base buys; an exact decimal.
class ExchangeRate {
 public:
  // "7.0800": above 0 and below 1e6, of at most 8 places. `where` stands in the error.
  [[nodiscard]] static base::Result<ExchangeRate> parse(const std::string& where,
                                                        std::string_view text);
  // As it was written: its places are its precision.
  [[nodiscard]] const std::string& text() const { return text_; }
  // The rate is units() / kOne.
  [[nodiscard]] std::int64_t units() const { return units_; }
  static constexpr std::int64_t kOne = 100'000'000;

 private:
  ExchangeRate(std::int64_t units, std::string text) : units_(units), text_(std::move(text)) {}
  std::int64_t units_;
  std::string text_;
};

struct ExchangeRates {
  std::string base;    // "USD"
  std::string date;    // "2026-11-30"
  std::string source;  // "ECB"
  std::map<std::string, ExchangeRate, std::less<>> rates;

  // Between two other currencies it goes through the base. Each step is rounded half to even at
  // 1e-12. A currency without a rate is an error that names those with one, and so is an amount
  // of 1e12 or more.
  [[nodiscard]] base::Result<Money> convert(const Money& money, std::string_view to) const;
  // What `convert` used: "1 USD = 7.0800 CNY, 2026-11-30, ECB"; of two steps both. Empty when both
  // are one currency, and a currency without a rate is left out.
  [[nodiscard]] std::string describe(std::string_view from, std::string_view to) const;
};

}  // namespace steelyard::quantity
