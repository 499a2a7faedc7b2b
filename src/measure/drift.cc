#include "measure/drift.h"

#include <boost/math/distributions/students_t.hpp>
#include <cmath>

namespace steelyard::measure {

std::optional<Drift> drift_of(std::span<const double> means) {
  constexpr std::size_t kFewest = 4;
  // Variance of the mean of differences that are correlated by 1/4 with their neighbours.
  constexpr double kWorking = 1.5;
  if (means.size() < kFewest) {
    return std::nullopt;
  }
  const auto n = static_cast<double>(means.size() - 1);
  const double mean = (means.back() - means.front()) / n;
  double squares = 0;
  for (std::size_t i = 1; i < means.size(); ++i) {
    const double off = means[i] - means[i - 1] - mean;
    squares += off * off;
  }
  const double error = std::sqrt(kWorking * squares / (n - 1) / n);
  Drift drift{mean, mean > 0 ? 0.0 : 1.0};
  if (error > 0) {
    drift.chance = cdf(complement(boost::math::students_t(n - 1), mean / error));
  }
  return drift;
}

}  // namespace steelyard::measure
