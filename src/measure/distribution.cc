#include "measure/distribution.h"

namespace steelyard::measure {
namespace {

constexpr double kNanosPerMs = 1e6;

Percentile in_ms(const Samples::Ranked& ranked, double q) {
  const std::size_t n = ranked.size();
  const RankInterval ranks = rank_interval(q, n);
  const auto at = [&](std::size_t rank) { return ranked.at(rank) / kNanosPerMs; };
  Percentile result;
  result.value = at(nearest_rank(q, n));
  result.low = ranks.low ? std::optional(at(*ranks.low)) : std::nullopt;
  result.high = ranks.high ? std::optional(at(*ranks.high)) : std::nullopt;
  return result;
}

}  // namespace

Distribution distribution_of(const Samples& samples, std::span<const double> percents) {
  Distribution result;
  result.n = samples.count();
  if (result.n == 0) {
    return result;
  }
  const Samples::Ranked ranked(samples);
  const Moments moments = samples.moments();
  const auto deviation = moments.deviation();
  result.relative_error = samples.exact() ? 0 : Histogram::kRelativeError;
  result.mean = moments.mean / kNanosPerMs;
  result.std = deviation ? std::optional(*deviation / kNanosPerMs) : std::nullopt;
  result.min = ranked.at(1) / kNanosPerMs;
  result.max = ranked.at(ranked.size()) / kNanosPerMs;
  result.p50 = in_ms(ranked, 0.50);
  result.p90 = in_ms(ranked, 0.90);
  result.p99 = in_ms(ranked, 0.99);
  for (const double percent : percents) {
    result.others[percent] = in_ms(ranked, percent / 100);
  }
  return result;
}

}  // namespace steelyard::measure
