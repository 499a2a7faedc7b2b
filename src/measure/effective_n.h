// How many independent samples would say as much as these, which are not independent: requests that
// are out together wait for the same batch, the same stall, the same slow minute.
//
// The variance of a mean of n correlated samples is that of n / tau independent ones, tau being the
// integrated autocorrelation time. It is estimated from the series in order of sending by the
// initial monotone sequence: autocovariances are added in pairs as long as the pairs are positive
// and fall (Geyer, Statistical Science 7, 1992, section 3.3). Long series are first averaged over
// batches, so that the work is bounded. A percentile is a matter of the share of samples at or
// above it, and so the series for it is of ones and zeros.
#pragma once

#include <cstddef>
#include <optional>
#include <span>

namespace steelyard::measure {

// Fewer say nothing of how they hang together.
inline constexpr std::size_t kLeastForEffectiveN = 16;

// tau of the series, at least 1: n / tau samples are as good as independent. Absent when there are
// too few. A constant series has 1.
[[nodiscard]] std::optional<double> autocorrelation_time(std::span<const float> series);

}  // namespace steelyard::measure
