#include "measure/share_test.h"

#include <boost/math/special_functions/beta.hpp>
#include <cmath>

#include "base/check.h"

namespace steelyard::measure {
namespace {

// Jeffreys' prior, beta(1/2, 1/2): most of its weight is near 0 and 1, where the targets are.
constexpr double kPrior = 0.5;

double log_beta(double a, double b) { return std::lgamma(a) + std::lgamma(b) - std::lgamma(a + b); }

// The likelihood of what was seen at share p.
double log_likelihood(double met, double missed, double p) {
  const auto times_log = [](double n, double x) { return n == 0 ? 0 : n * std::log(x); };
  return times_log(met, p) + times_log(missed, 1 - p);
}

// log of the mixture over the shares above the target, or below it, against the target itself.
double log_evidence(double met, double missed, double target, bool above) {
  const auto mass = [&](double a, double b) {
    return above ? boost::math::ibetac(a, b, target) : boost::math::ibeta(a, b, target);
  };
  return log_beta(kPrior + met, kPrior + missed) + std::log(mass(kPrior + met, kPrior + missed)) -
         log_beta(kPrior, kPrior) - std::log(mass(kPrior, kPrior)) -
         log_likelihood(met, missed, target);
}

double log_mixture_against(double met, double missed, double p) {
  return log_beta(kPrior + met, kPrior + missed) - log_beta(kPrior, kPrior) -
         log_likelihood(met, missed, p);
}

}  // namespace

ShareTest::ShareTest(double target, double alpha)
    : target_(target), log_threshold_(-std::log(alpha)) {
  STEELYARD_CHECK(target > 0 && target <= 1 && alpha > 0 && alpha < 1,
                  "a share to reach, and a small chance of being wrong");
}

ShareTest::Answer ShareTest::answer() const {
  const auto met = static_cast<double>(met_);
  const auto missed = static_cast<double>(missed_);
  if (target_ == 1) {
    return missed_ > 0 ? Answer::kMissed : Answer::kOpen;
  }
  if (log_evidence(met, missed, target_, true) >= log_threshold_) {
    return Answer::kReached;
  }
  return log_evidence(met, missed, target_, false) >= log_threshold_ ? Answer::kMissed
                                                                     : Answer::kOpen;
}

bool ShareTest::leans_reached() const {
  // 99.9 % is 0.9990000000000001 in binary.
  return static_cast<double>(met_) >= target_ * static_cast<double>(due()) * (1 - 1e-12);
}

std::optional<ShareInterval> anytime_interval(std::int64_t met, std::int64_t due,
                                              double confidence) {
  STEELYARD_CHECK(0 <= met && met <= due && confidence > 0 && confidence < 1,
                  "a part of a whole, and a confidence below 1");
  if (due == 0) {
    return std::nullopt;
  }
  const auto hits = static_cast<double>(met);
  const auto misses = static_cast<double>(due - met);
  const double threshold = -std::log(1 - confidence);
  const auto excluded = [&](double p) { return log_mixture_against(hits, misses, p) >= threshold; };
  // The mixture against p is smallest at the share that was seen, and grows on both sides.
  const auto edge = [&](double inside, double outside) {
    constexpr int kHalvings = 60;
    for (int i = 0; i < kHalvings; ++i) {
      const double middle = (inside + outside) / 2;
      (excluded(middle) ? outside : inside) = middle;
    }
    return inside;
  };
  const double seen = hits / static_cast<double>(due);
  ShareInterval interval;
  interval.low = met == 0 ? 0 : edge(seen, 0);
  interval.high = met == due ? 1 : edge(seen, 1);
  return interval;
}

}  // namespace steelyard::measure
