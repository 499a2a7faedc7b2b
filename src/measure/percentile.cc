#include "measure/percentile.h"

#include <algorithm>
#include <cmath>

#include "base/check.h"

namespace steelyard::measure {
namespace {

double log_binomial_pmf(double k, double n, double q) {
  return std::lgamma(n + 1) - std::lgamma(k + 1) - std::lgamma(n - k + 1) + k * std::log(q) +
         (n - k) * std::log1p(-q);
}

// Beyond twelve deviations (and a dozen counts, for the skewed ends) the tail is below 1e-15.
std::size_t first_likely(double q, std::size_t n) {
  const double mean = q * static_cast<double>(n);
  const double reach = 12 * std::sqrt(mean * (1 - q)) + 40;
  return mean > reach ? static_cast<std::size_t>(mean - reach) : 0;
}

}  // namespace

std::size_t nearest_rank(double q, std::size_t n) {
  STEELYARD_CHECK(n >= 1 && q > 0 && q <= 1, "a rank needs samples and a quantile in (0, 1]");
  // 0.99 * 100 is 99.00000000000001 in binary; without the slack its rank would be 100.
  const double rank = std::ceil(q * static_cast<double>(n) * (1 - 1e-12));
  return std::clamp<std::size_t>(static_cast<std::size_t>(rank), 1, n);
}

RankInterval rank_interval(double q, std::size_t n, double confidence) {
  const double tail = (1 - confidence) / 2;
  RankInterval interval;
  double below = 0;  // P(B <= k - 1) as the loop enters k
  for (std::size_t k = first_likely(q, n); k <= n; ++k) {
    if (below <= tail && k >= 1) {
      interval.low = k;
    }
    below += std::exp(log_binomial_pmf(static_cast<double>(k), static_cast<double>(n), q));
    if (below >= 1 - tail) {
      if (k < n) {
        interval.high = k + 1;
      }
      break;
    }
  }
  return interval;
}

std::optional<Percentile> percentile(std::span<const double> sorted, double q, double confidence) {
  if (sorted.empty()) {
    return std::nullopt;
  }
  const RankInterval ranks = rank_interval(q, sorted.size(), confidence);
  const auto at = [&](std::size_t rank) { return sorted[rank - 1]; };
  Percentile result;
  result.value = at(nearest_rank(q, sorted.size()));
  result.low = ranks.low ? std::optional(at(*ranks.low)) : std::nullopt;
  result.high = ranks.high ? std::optional(at(*ranks.high)) : std::nullopt;
  return result;
}

}  // namespace steelyard::measure
