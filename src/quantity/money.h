// Money: an exact decimal amount in its own currency, to 1e-12 of it. A price of 0.15 USD a million
// tokens is 1.5e-7 a token: cents, and even millionths, would round it away. 128 bits hold 1e26.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/error.h"
#include "quantity/decimal.h"

namespace steelyard::quantity {

class Money {
 public:
  // "0.79 USD", "30000 CNY", "8.5 元", "$2.50", "¥8.5" (¥ and 元 are CNY): a decimal of at most 12
  // places and below 1e12, and a currency. `where` stands in the error.
  [[nodiscard]] static base::Result<Money> parse(const std::string& where, std::string_view text);

  [[nodiscard]] const std::string& currency() const { return currency_; }
  // For ratios and display only; sums stay exact.
  [[nodiscard]] double amount() const;
  // All its places, without trailing zeros: "0.79 USD".
  [[nodiscard]] std::string to_text() const;
  // Rounded half to even, as a bill line is: places in [0, 12].
  [[nodiscard]] Money rounded(int places) const;

  // Both in one currency: adding two is a broken invariant, convert first.
  Money& operator+=(const Money& other);
  // Of two amounts in one currency.
  [[nodiscard]] bool exceeds(const Money& other) const;
  friend Money operator+(Money left, const Money& right) { return left += right; }
  // This amount `times` / `per`, rounded half to even at 1e-12: 0.79 USD an hour for n seconds is
  // scaled(n, 3600). per > 0; per and the size of times / per below 1e14.
  [[nodiscard]] Money scaled(std::int64_t times, std::int64_t per) const;

  // The same in another currency, `times` / `per` being its rate; ExchangeRates knows the rates.
  [[nodiscard]] Money exchanged(std::int64_t times, std::int64_t per, std::string currency) const;

  friend bool operator==(const Money&, const Money&) = default;

 private:
  Money(Int128 pico, std::string currency) : pico_(pico), currency_(std::move(currency)) {}
  Int128 pico_;  // 1e-12 of the currency
  std::string currency_;
};

}  // namespace steelyard::quantity
