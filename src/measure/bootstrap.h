// How sure a sum over requests is.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

namespace steelyard::measure {

// A 95 % interval for the sum by the bootstrap over requests, percentile method (Efron &
// Tibshirani, An Introduction to the Bootstrap, 1993, chapter 13), 1,000 resamples, the same for
// the same seed. Requests are taken as independent; a slow minute that hits many at once is wider
// than this says. Absent with fewer than two values.
struct SumInterval {
  std::int64_t low = 0;
  std::int64_t high = 0;
};
[[nodiscard]] std::optional<SumInterval> sum_interval(std::span<const std::int64_t> values,
                                                      std::uint64_t seed);

}  // namespace steelyard::measure
