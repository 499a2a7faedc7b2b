#include "measure/estimate.h"

#include <boost/math/distributions/students_t.hpp>
#include <cmath>

namespace steelyard::measure {
namespace {

std::optional<double> end_of(const Estimate& estimate, double side) {
  constexpr double kBeyond = 0.025;  // at each end
  if (!estimate.spread || estimate.degrees <= 0) {
    return std::nullopt;
  }
  const double t = quantile(complement(boost::math::students_t(estimate.degrees), kBeyond));
  return estimate.value * std::exp(side * t * *estimate.spread);
}

}  // namespace

std::optional<double> Estimate::low() const { return end_of(*this, -1); }
std::optional<double> Estimate::high() const { return end_of(*this, 1); }

}  // namespace steelyard::measure
