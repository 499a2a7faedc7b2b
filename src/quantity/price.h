// A price: money for a time or for tokens. The unit is never left out: a price of 0.15 USD per 1K
// tokens read as one per 1M is a thousand times too low, and the slip is common in print.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/error.h"
#include "quantity/money.h"

namespace steelyard::quantity {

enum class PriceUnit : std::uint8_t {
  kSecond,
  kMinute,
  kHour,
  kToken,
  kThousandTokens,
  kMillionTokens,
};

// Kept as it was written, so that nothing is rounded before it is multiplied.
struct Price {
  Money amount;
  PriceUnit unit;
  bool per_gpu = false;  // of a price by time: for each GPU, and not for the whole machine

  [[nodiscard]] bool by_time() const { return unit <= PriceUnit::kHour; }
  // What so long costs, or so many tokens, rounded half to even at 1e-12. The argument is not
  // negative, and the price is one by time or by token accordingly.
  [[nodiscard]] Money of_time(base::Nanos time) const;
  [[nodiscard]] Money of_tokens(std::int64_t tokens) const;

  friend bool operator==(const Price&, const Price&) = default;
};

// Money, as Money::parse reads it, and its unit: "0.79 USD/h", "2.50 $/hour", "8.5 元/小时",
// "0.0014 USD/s", "2.5 USD/GPU-h" (also "/GPU/h", "元/卡时"), "0.15 USD/Mtok", "0.8 USD/1M tokens",
// "2 元/百万 tokens". Free (0) is a price. `where` stands in the error.
[[nodiscard]] base::Result<Price> parse_price(const std::string& where, std::string_view text);

// "0.79 USD/h", "2.5 USD/GPU-h", "0.15 USD/Mtok"; parse_price gives the same price back.
[[nodiscard]] std::string to_text(const Price& price);

}  // namespace steelyard::quantity
