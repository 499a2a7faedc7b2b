#include "price/cptls.h"

#include <numeric>

#include <algorithm>

#include "measure/bootstrap.h"

namespace steelyard::price {
namespace {

constexpr double kMillion = 1e6;
constexpr double kSecondsPerHour = 3600;

bool is_share(double value) { return value > 0 && value <= 1; }

}  // namespace

std::optional<PerMillionTokens> cptls_of_window(const quantity::Money& total_cost,
                                                std::int64_t good_output_tokens) {
  if (good_output_tokens <= 0) {
    return std::nullopt;
  }
  return PerMillionTokens{kMillion * total_cost.amount() / static_cast<double>(good_output_tokens)};
}

std::optional<CptlsInterval> cptls_interval(const quantity::Money& total_cost,
                                            std::span<const double> cost_shares,
                                            std::span<const double> good_tokens,
                                            std::uint64_t seed) {
  const auto ratio = measure::ratio_interval(cost_shares, good_tokens, seed);
  if (!ratio || !ratio->low) {
    return std::nullopt;
  }
  const double all = std::accumulate(cost_shares.begin(), cost_shares.end(), 0.0);
  const double scale = all > 0 ? kMillion * total_cost.amount() / all : 0;
  CptlsInterval interval{{scale * *ratio->low}, std::nullopt};
  if (ratio->high) {
    interval.high = PerMillionTokens{scale * *ratio->high};
  }
  return interval;
}

std::optional<PerMillionTokens> cptls_by_time(const TimePriced& offer) {
  if (!(offer.gpus > 0) || !(offer.output_tps > 0) || !is_share(offer.busy_share) ||
      !is_share(offer.token_attainment)) {
    return std::nullopt;
  }
  const double good_tokens_per_hour =
      kSecondsPerHour * offer.output_tps * offer.busy_share * offer.token_attainment;
  return PerMillionTokens{kMillion * offer.price_per_gpu_hour * offer.gpus / good_tokens_per_hour};
}

std::optional<PerMillionTokens> cptls_by_token(const TokenPriced& offer) {
  if (!(offer.output_tokens > 0) || !is_share(offer.token_attainment)) {
    return std::nullopt;
  }
  const double of_requests =
      offer.input_tokens * offer.input_per_million + offer.output_tokens * offer.output_per_million;
  return PerMillionTokens{of_requests / (offer.output_tokens * offer.token_attainment)};
}

std::optional<double> break_even_busy_share(TimePriced by_time, const TokenPriced& by_token) {
  by_time.busy_share = 1;
  const auto always_busy = cptls_by_time(by_time);
  const auto api = cptls_by_token(by_token);
  if (!always_busy || !api || !(api->amount > 0)) {
    return std::nullopt;
  }
  return always_busy->amount / api->amount;
}

std::optional<MoneySecondsPerToken> cptls_as_published(double price_per_hour,
                                                       double mean_response_s, double tps,
                                                       double attainment) {
  if (!(tps > 0) || !is_share(attainment)) {
    return std::nullopt;
  }
  return MoneySecondsPerToken{price_per_hour * mean_response_s /
                              (kSecondsPerHour * tps * attainment)};
}

}  // namespace steelyard::price
