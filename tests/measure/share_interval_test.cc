#include <cmath>

#include "measure/attainment.h"

namespace steelyard::measure {
namespace {

double binomial(std::int64_t k, std::int64_t n, double p) {
  const auto gamma = [](std::int64_t x) { return std::lgamma(static_cast<double>(x) + 1); };
  return std::exp(gamma(n) - gamma(k) - gamma(n - k) + static_cast<double>(k) * std::log(p) +
                  static_cast<double>(n - k) * std::log1p(-p));
}

// The published table for n = 10, and 1 - 0.025^(1/n) at the ends.
TEST(ShareInterval, golden_ends) {
  EXPECT_NEAR(share_interval(5, 10)->low, 0.1871, 0.00005);
  EXPECT_NEAR(share_interval(5, 10)->high, 0.8129, 0.00005);
  EXPECT_NEAR(share_interval(9, 10)->low, 0.5550, 0.00005);
  EXPECT_NEAR(share_interval(9, 10)->high, 0.9975, 0.00005);
  EXPECT_NEAR(share_interval(0, 10)->high, 1 - std::pow(0.025, 0.1), 1e-12);
  EXPECT_EQ(share_interval(0, 10)->low, 0);
  EXPECT_EQ(share_interval(10, 10)->high, 1);
  EXPECT_FALSE(share_interval(0, 0));
}

// That is what exact means: at the low end as many hits or more have just 2.5 % of the chance.
TEST(ShareInterval, at_its_ends_the_tails_hold_two_and_a_half_percent) {
  for (std::int64_t met = 1; met < 40; ++met) {
    const ShareInterval interval = *share_interval(met, 40);
    double at_least = 0;
    double at_most = 0;
    for (std::int64_t k = 0; k <= 40; ++k) {
      at_least += k >= met ? binomial(k, 40, interval.low) : 0;
      at_most += k <= met ? binomial(k, 40, interval.high) : 0;
    }
    EXPECT_NEAR(at_least, 0.025, 1e-9) << met;
    EXPECT_NEAR(at_most, 0.025, 1e-9) << met;
  }
}

TEST(ShareInterval, covers_every_share_at_least_as_often_as_it_says) {
  for (double share = 0.01; share < 1; share += 0.01) {
    double covered = 0;
    for (std::int64_t k = 0; k <= 100; ++k) {
      const ShareInterval interval = *share_interval(k, 100);
      covered += interval.low <= share && share <= interval.high ? binomial(k, 100, share) : 0;
    }
    EXPECT_GE(covered, 0.95) << share;
    EXPECT_LE(covered, 0.9999) << share;
  }
}

TEST(ShareInterval, takes_a_day_of_requests) {
  const ShareInterval interval = *share_interval(9'990'000, 10'000'000);
  EXPECT_NEAR(interval.low, 0.999, 0.0001);
  EXPECT_LT(interval.low, 0.999);
  EXPECT_GT(interval.high, 0.999);
}

}  // namespace
}  // namespace steelyard::measure
