#include "measure/knee.h"

#include <algorithm>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>

namespace steelyard::measure {
namespace {

// Whether `a` is greater, but for so small a chance.
bool surely_greater(const Estimate& a, const Estimate& b, double chance) {
  if (a.value <= b.value) {
    return false;
  }
  if (b.value <= 0) {
    return true;  // nothing is completed under it
  }
  if (!a.spread || !b.spread) {
    return false;
  }
  const double by = std::log(a.value / b.value);
  const double va = *a.spread * *a.spread;
  const double vb = *b.spread * *b.spread;
  if (va + vb <= 0) {
    return true;
  }
  const double degrees = (va + vb) * (va + vb) / (va * va / a.degrees + vb * vb / b.degrees);
  const double t = quantile(complement(boost::math::students_t(degrees), chance));
  return by > t * std::sqrt(va + vb);
}

}  // namespace

const char* name_of(Knee::Answer answer) {
  switch (answer) {
    case Knee::Answer::kFound:
      return "found";
    case Knee::Answer::kTooFewLoads:
      return "too_few_loads";
    case Knee::Answer::kStillRising:
      return "still_rising";
    case Knee::Answer::kFalling:
      return "falling";
    case Knee::Answer::kNotToldApart:
      break;
  }
  return "not_told_apart";
}

Knee knee_of(std::span<const Estimate> powers, bool from_least) {
  constexpr double kChance = 0.05;
  if (powers.size() < kFewestLoads) {
    return {};
  }
  const double chance = kChance / static_cast<double>(powers.size() - 1);
  const auto stays_in = [&](const Estimate& power) {
    return std::ranges::none_of(
        powers, [&](const Estimate& other) { return surely_greater(other, power, chance); });
  };
  const auto greatest = std::ranges::max_element(powers, {}, &Estimate::value);
  const auto best = static_cast<std::size_t>(greatest - powers.begin());
  const auto first =
      static_cast<std::size_t>(std::ranges::find_if(powers, stays_in) - powers.begin());
  std::size_t last = powers.size() - 1;
  while (!stays_in(powers[last])) {
    --last;
  }
  Knee knee;
  knee.best = best;
  knee.above = first > 0 ? std::optional(first - 1) : std::nullopt;
  knee.below = last + 1 < powers.size() ? std::optional(last + 1) : std::nullopt;
  const bool bounded = knee.below && (knee.above || from_least);
  if (best + 1 == powers.size()) {
    knee.answer = Knee::Answer::kStillRising;
  } else if (best == 0 && !from_least) {
    knee.answer = Knee::Answer::kFalling;
  } else {
    knee.answer = bounded ? Knee::Answer::kFound : Knee::Answer::kNotToldApart;
  }
  return knee;
}

}  // namespace steelyard::measure
