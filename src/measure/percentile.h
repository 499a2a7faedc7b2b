// Percentiles by the nearest-rank definition: the smallest sample with at least q*n samples at or
// below it. Intervals from order statistics: the rank of the true quantile is binomial(n, q), so
// two order statistics enclose it with the stated confidence whatever the distribution
// (David & Nagaraja, Order Statistics, 3rd ed., section 7.1).
#pragma once

#include <cstddef>
#include <optional>
#include <span>

namespace steelyard::measure {

// 1-based rank of the q-quantile, q in (0, 1]; n >= 1.
[[nodiscard]] std::size_t nearest_rank(double q, std::size_t n);

// 1-based ranks; an absent end is unbounded: no order statistic of so few samples reaches it.
struct RankInterval {
  std::optional<std::size_t> low;
  std::optional<std::size_t> high;
};
// Two-sided with equal tails; q and confidence in (0, 1). Coverage is at least the confidence.
[[nodiscard]] RankInterval rank_interval(double q, std::size_t n, double confidence = 0.95);

struct Percentile {
  double value = 0;
  std::optional<double> low;
  std::optional<double> high;
  // What the samples are worth in independent ones, as far as this percentile goes; the interval
  // is as wide as theirs. Absent: they were taken as independent.
  std::optional<double> n_effective{};
  [[nodiscard]] bool n_too_small() const { return !low || !high; }
};
// `sorted` ascending; absent when there are no samples.
[[nodiscard]] std::optional<Percentile> percentile(std::span<const double> sorted, double q,
                                                   double confidence = 0.95);

}  // namespace steelyard::measure
