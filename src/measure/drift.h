// Does a queue keep growing? A load above capacity leaves requests behind at a steady rate, but so,
// for a while, does the luck of arrivals below it: the number in the system wanders. So the means
// of equal stretches of time are compared with what a wandering without direction (a random walk)
// would do: Student's t of their differences. Means of a random walk have differences that are
// correlated by 1/4 (Working, Note on the correlation of first differences of averages in a random
// chain, Econometrica 28, 1960), which is allowed for. A queue that is pulled back to a level has
// less of a trend than a random walk, so that for it the test errs towards finding none.
#pragma once

#include <optional>
#include <span>

namespace steelyard::measure {

struct Drift {
  double per_stretch = 0;  // mean difference between a stretch and the next
  double chance = 1;       // that a walk without direction rises as surely
};
// `means` of equal stretches, one after the other. Absent when there are fewer than four.
[[nodiscard]] std::optional<Drift> drift_of(std::span<const double> means);

}  // namespace steelyard::measure
