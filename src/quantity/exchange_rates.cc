#include "quantity/exchange_rates.h"

#include <fmt/format.h>

#include <cmath>
#include <vector>

#include "base/text.h"

namespace steelyard::quantity {
namespace {

constexpr double kTooMuch = 1e12;
constexpr std::int64_t kPicoPerUnit = 1'000'000'000'000 / ExchangeRate::kOne;

tl::unexpected<base::Error> no_rate(const ExchangeRates& rates, std::string_view currency) {
  std::vector<std::string> known{rates.base};
  for (const auto& [name, rate] : rates.rates) {
    known.push_back(name);
  }
  return base::bad_input(fmt::format("exchange rates of {} ({})", rates.date, rates.source),
                         fmt::format("no rate for {}", base::valid_utf8(currency)),
                         "known: " + base::join(known, ", "));
}

// Beyond this a product might no longer fit its 128 bits.
base::Result<Money> small_enough(Money money) {
  if (!(std::abs(money.amount()) < kTooMuch)) {
    return base::bad_input(money.to_text(), "too large to convert", "an amount below 1e12");
  }
  return money;
}

}  // namespace

base::Result<ExchangeRate> ExchangeRate::parse(const std::string& where, std::string_view text) {
  const std::string_view trimmed = base::trim(text);
  const auto pico = read_decimal(trimmed);
  constexpr Int128 kMost = Int128{1'000'000} * 1'000'000'000'000;
  if (!pico || *pico == 0 || *pico >= kMost || *pico % kPicoPerUnit != 0) {
    return base::bad_input(where,
                           fmt::format("\"{}\" is not an exchange rate", base::valid_utf8(text)),
                           "a number above 0 and below 1e6 with at most 8 places, such as 7.08");
  }
  return ExchangeRate(static_cast<std::int64_t>(*pico / kPicoPerUnit), std::string(trimmed));
}

base::Result<Money> ExchangeRates::convert(const Money& money, std::string_view to) const {
  if (money.currency() == to) {
    return money;
  }
  const auto from = rates.find(money.currency());
  const auto into = rates.find(to);
  if (money.currency() != base && from == rates.end()) {
    return no_rate(*this, money.currency());
  }
  if (to != base && into == rates.end()) {
    return no_rate(*this, to);
  }
  auto amount = small_enough(money);
  if (amount && money.currency() != base) {
    amount = small_enough(amount->exchanged(ExchangeRate::kOne, from->second.units(), base));
  }
  if (amount && to != base) {
    amount =
        small_enough(amount->exchanged(into->second.units(), ExchangeRate::kOne, std::string(to)));
  }
  return amount;
}

std::string ExchangeRates::describe(std::string_view from, std::string_view to) const {
  if (from == to) {
    return {};
  }
  std::string text;
  for (const std::string_view currency : {from, to}) {
    if (const auto rate = rates.find(currency); currency != base && rate != rates.end()) {
      text += fmt::format("1 {} = {} {}, ", base, rate->second.text(), currency);
    }
  }
  return text + date + ", " + source;
}

}  // namespace steelyard::quantity
