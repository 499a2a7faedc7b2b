// How sure a ratio of sums over requests is.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

namespace steelyard::measure {

// A 95 % interval for sum(over) / sum(under) by the bootstrap over requests, percentile method
// (Efron & Tibshirani, An Introduction to the Bootstrap, 1993, chapter 13), 1,000 resamples, the
// same for the same seed. Both values of a request are drawn together: a long answer takes longer
// and brings more. Requests are taken as independent; a slow minute that hits many at once is wider
// than this says. No value is negative. Absent with fewer than two requests.
struct RatioInterval {
  std::optional<double> low;   // absent: in almost every resample there is nothing below the line
  std::optional<double> high;  // absent: in so many of them that there is no upper end
};
[[nodiscard]] std::optional<RatioInterval> ratio_interval(std::span<const double> over,
                                                          std::span<const double> under,
                                                          std::uint64_t seed);

}  // namespace steelyard::measure
