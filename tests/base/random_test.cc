#include "base/random.h"

#include <cmath>

namespace steelyard::base {
namespace {

TEST(Random, gives_the_same_numbers_for_the_same_seed) {
  Random a(7);
  Random b(7);
  EXPECT_EQ(a.next(), b.next());
  EXPECT_NE(Random(7).next(), Random(8).next());
  EXPECT_NE(Random(7).fork(1).next(), Random(7).fork(2).next());
}

// Means within five standard errors of 200,000 draws.
TEST(Random, distributions_have_their_means) {
  constexpr int kDraws = 200'000;
  Random random(11);
  double exponential = 0;
  double gamma = 0;
  double lognormal = 0;
  for (int i = 0; i < kDraws; ++i) {
    exponential += random.exponential();
    gamma += random.gamma(0.5);
    lognormal += random.lognormal(0, 0.5);
  }
  EXPECT_NEAR(exponential / kDraws, 1.0, 5 / std::sqrt(kDraws));
  EXPECT_NEAR(gamma / kDraws, 0.5, 5 * std::sqrt(0.5 / kDraws));
  EXPECT_NEAR(lognormal / kDraws, std::exp(0.125), 0.01);
}

TEST(Random, integers_stay_within_both_ends) {
  Random random(3);
  bool low = false;
  bool high = false;
  for (int i = 0; i < 1000; ++i) {
    const auto n = random.integer(-2, 2);
    ASSERT_GE(n, -2);
    ASSERT_LE(n, 2);
    low |= n == -2;
    high |= n == 2;
  }
  EXPECT_TRUE(low && high);
}

}  // namespace
}  // namespace steelyard::base
