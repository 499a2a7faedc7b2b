// Cost per token under the latency SLA. Two figures bear the name, and they are never mixed:
//
// Ours, money per million good output tokens, where a good token belongs to a request that met
// every SLA term:
//   over a window    1e6 * total cost / good output tokens
//   steady, by time  1e6 * price per GPU-hour * GPUs / (3600 * TPS * busy share * token attainment)
//   by token         1e6 * (input * its price + output * its price) / (output * token attainment)
// The published index, of an article on evaluating platforms, price * mean response time / (TPS *
// attainment): counted out, its unit is dollar-seconds a token, a delay-weighted index and no
// money.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "quantity/money.h"

namespace steelyard::price {

// In the currency of the price, a million tokens.
struct PerMillionTokens {
  double amount = 0;
};
// In the currency of the price, times seconds, a token.
struct MoneySecondsPerToken {
  double amount = 0;
};

// Absent when no good token came: then no price buys one.
[[nodiscard]] std::optional<PerMillionTokens> cptls_of_window(const quantity::Money& total_cost,
                                                              std::int64_t good_output_tokens);

// How sure `cptls_of_window` is: a 95 % interval (measure::ratio_interval says how). Of each
// request that was due, `good_tokens` holds its output tokens, or 0 when it missed, and
// `cost_shares` what it costs in any one unit: its bill, or, where time is rented, the time it held
// a slot, or 1 where its arrival set the pace. They are scaled to the total.
struct CptlsInterval {
  PerMillionTokens low;
  std::optional<PerMillionTokens> high;  // absent: so few met the SLA that there is no upper end
};
// Absent with fewer than two requests or without a good token.
[[nodiscard]] std::optional<CptlsInterval> cptls_interval(const quantity::Money& total_cost,
                                                          std::span<const double> cost_shares,
                                                          std::span<const double> good_tokens,
                                                          std::uint64_t seed);

// All shares in (0, 1], TPS and GPUs above 0; absent otherwise.
struct TimePriced {
  double price_per_gpu_hour = 0;
  double gpus = 1;
  double output_tps = 0;  // of the whole deployment
  double busy_share = 1;  // of the paid time
  double token_attainment = 1;
};
[[nodiscard]] std::optional<PerMillionTokens> cptls_by_time(const TimePriced& offer);

struct TokenPriced {
  double input_per_million = 0;
  double output_per_million = 0;
  double input_tokens = 0;  // of a mean request
  double output_tokens = 0;
  double token_attainment = 1;
};
[[nodiscard]] std::optional<PerMillionTokens> cptls_by_token(const TokenPriced& offer);

// The busy share at which a time-priced offer costs what a token-priced one does; above 1 it never
// does. Absent when either has no CPTLS. `by_time.busy_share` is not used.
[[nodiscard]] std::optional<double> break_even_busy_share(TimePriced by_time,
                                                          const TokenPriced& by_token);

[[nodiscard]] std::optional<MoneySecondsPerToken> cptls_as_published(double price_per_hour,
                                                                     double mean_response_s,
                                                                     double tps, double attainment);

}  // namespace steelyard::price
