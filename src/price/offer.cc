#include "price/offer.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/check.h"
#include "base/clock.h"

namespace steelyard::price {
namespace {

using quantity::Money;
using quantity::Price;

// Beyond these a product might no longer fit money's 128 bits.
constexpr std::int64_t kMostMachines = 1'000'000;
constexpr base::Nanos kLongestStep = base::Nanos{366} * 86400 * base::kSecond;

base::Status check_kind(const std::string& where, const Price& price, bool by_time) {
  if (price.by_time() == by_time) {
    return {};
  }
  return base::bad_input(
      where, fmt::format("{} is a price by {}", to_text(price), by_time ? "token" : "time"),
      by_time ? "a price by time, such as 0.79 USD/h" : "a price by token, such as 0.15 USD/Mtok");
}

base::Status check_scheme(const std::string& where, const PerTime& scheme) {
  if (base::Status kind = check_kind(where, scheme.price, true); !kind) {
    return kind;
  }
  if (scheme.count < 1 || scheme.count > kMostMachines) {
    return base::bad_input(where, fmt::format("{} of it cannot be rented", scheme.count),
                           fmt::format("a count from 1 to {}", kMostMachines));
  }
  for (const base::Nanos step : {scheme.granularity, scheme.minimum}) {
    if (step < 0 || step > kLongestStep) {
      return base::bad_input(where, "a billing step or minimum that is negative or above a year",
                             "such as 1s, 1min or 1h");
    }
  }
  return {};
}

base::Status check_currency(const std::string& where, const Money& money, const Money& first) {
  if (money.currency() == first.currency()) {
    return {};
  }
  return base::bad_input(
      where, fmt::format("one offer in both {} and {}", first.currency(), money.currency()),
      "one currency");
}

base::Status check_scheme(const std::string& where, const PerToken& scheme) {
  std::vector<Price> prices{scheme.input, scheme.output};
  if (scheme.cached_input) {
    prices.push_back(*scheme.cached_input);
  }
  base::Status status;
  for (const Price& price : prices) {
    status = status.and_then([&] { return check_kind(where, price, false); }).and_then([&] {
      return check_currency(where, price.amount, scheme.input.amount);
    });
  }
  return scheme.per_request ? status.and_then([&] {
    return check_currency(where, *scheme.per_request, scheme.input.amount);
  })
                            : status;
}

CostBill bill_of(const PerTime& scheme, base::Nanos window) {
  const base::Nanos billed = billed_time(scheme, window);
  const Money amount = scheme.price.of_time(billed).scaled(scheme.count, 1);
  const double quantity = base::to_seconds(billed) * static_cast<double>(scheme.count);
  return {amount,
          {{"rented time", "租用时长", quantity, scheme.price.per_gpu ? "GPU-s" : "machine-s",
            amount}}};
}

void add_tokens(CostBill& bill, std::string_view name_en, std::string_view name_zh,
                const Price& price, std::int64_t tokens) {
  bill.lines.push_back(
      {name_en, name_zh, static_cast<double>(tokens), "tokens", price.of_tokens(tokens)});
  bill.total += bill.lines.back().amount;
}

CostBill bill_of(const PerToken& scheme, const Usage& usage) {
  CostBill bill{scheme.input.amount.scaled(0, 1), {}};
  const std::int64_t cached =
      scheme.cached_input ? std::min(usage.cached_input_tokens, usage.input_tokens) : 0;
  add_tokens(bill, "input", "输入", scheme.input, usage.input_tokens - cached);
  if (scheme.cached_input) {
    add_tokens(bill, "cached input", "缓存命中的输入", *scheme.cached_input, cached);
  }
  add_tokens(bill, "output", "输出", scheme.output, usage.output_tokens);
  if (scheme.per_request) {
    const Money amount = scheme.per_request->scaled(usage.requests, 1);
    bill.lines.push_back(
        {"requests", "请求次数", static_cast<double>(usage.requests), "requests", amount});
    bill.total += amount;
  }
  return bill;
}

}  // namespace

base::Status check(const std::string& where, const Offer& offer) {
  return std::visit([&](const auto& scheme) { return check_scheme(where, scheme); }, offer.scheme);
}

base::Nanos billed_time(const PerTime& scheme, base::Nanos window) {
  if (window == 0) {
    return 0;
  }
  const base::Nanos least = std::max(window, scheme.minimum);
  if (scheme.granularity == 0) {
    return least;
  }
  return (least / scheme.granularity + (least % scheme.granularity > 0 ? 1 : 0)) *
         scheme.granularity;
}

CostBill cost_of(const Offer& offer, const Usage& usage) {
  STEELYARD_CHECK(usage.window >= 0 && usage.input_tokens >= 0 && usage.cached_input_tokens >= 0 &&
                      usage.output_tokens >= 0 && usage.requests >= 0,
                  "a use is not negative");
  if (const auto* scheme = std::get_if<PerTime>(&offer.scheme)) {
    return bill_of(*scheme, usage.window);
  }
  return bill_of(std::get<PerToken>(offer.scheme), usage);
}

}  // namespace steelyard::price
