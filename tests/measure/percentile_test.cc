#include "measure/percentile.h"

#include <cmath>
#include <vector>

#include "base/random.h"
#include "measure/histogram.h"

namespace steelyard::measure {
namespace {

TEST(Percentile, nearest_rank_does_not_interpolate) {
  EXPECT_EQ(nearest_rank(0.5, 10), 5U);
  EXPECT_EQ(nearest_rank(0.99, 100), 99U);
  EXPECT_EQ(nearest_rank(0.99, 101), 100U);
  EXPECT_EQ(nearest_rank(0.99, 10), 10U);
  EXPECT_EQ(nearest_rank(1.0, 7), 7U);
}

// P(all n below the quantile) = 0.99^n falls to 2.5 % between n = 367 and 368.
TEST(Percentile, p99_is_bounded_from_368_samples_on) {
  EXPECT_FALSE(rank_interval(0.99, 367).high.has_value());
  EXPECT_EQ(rank_interval(0.99, 368).high, 368U);
}

// Binomial(20, 0.5): P(B <= 5) = 0.0207, P(B <= 6) = 0.0577; hence ranks 6 and 15.
TEST(Percentile, median_of_twenty_lies_between_the_6th_and_15th) {
  const RankInterval interval = rank_interval(0.5, 20);
  EXPECT_EQ(interval.low, 6U);
  EXPECT_EQ(interval.high, 15U);
}

TEST(Percentile, interval_covers_the_truth_as_often_as_it_says) {
  base::Random random(11);
  const double truth = -std::log(1 - 0.9);  // P90 of the exponential with mean 1
  int covered = 0;
  for (int run = 0; run < 1000; ++run) {
    std::vector<double> samples(100);
    for (double& sample : samples) {
      sample = random.exponential();
    }
    std::sort(samples.begin(), samples.end());
    const Percentile p90 = *percentile(samples, 0.9);
    covered += p90.low && p90.high && *p90.low <= truth && truth <= *p90.high ? 1 : 0;
  }
  EXPECT_GE(covered, 940);
  EXPECT_LE(covered, 995);
}

TEST(Percentile, says_when_n_is_too_small) {
  const std::vector<double> ten{1, 2, 3, 4, 5, 6, 7, 8, 9, 10};
  EXPECT_TRUE(percentile(ten, 0.99)->n_too_small());
  EXPECT_FALSE(percentile(ten, 0.5)->n_too_small());
  EXPECT_FALSE(percentile({}, 0.5).has_value());
}

TEST(Histogram, percentiles_are_within_a_twentieth_of_a_percent) {
  base::Random random(3);
  Histogram histogram;
  std::vector<double> exact(20000);
  for (double& value : exact) {
    value = std::floor(random.lognormal(17, 2));
    histogram.record(static_cast<base::Nanos>(value));
  }
  std::sort(exact.begin(), exact.end());
  for (const double q : {0.001, 0.1, 0.5, 0.9, 0.99, 0.999, 1.0}) {
    const double truth = exact[nearest_rank(q, exact.size()) - 1];
    EXPECT_NEAR(static_cast<double>(*histogram.percentile(q)), truth, truth * 0.0005 + 0.5) << q;
  }
}

TEST(Histogram, merging_is_recording_everything_in_one) {
  base::Random random(5);
  Histogram left;
  Histogram right;
  Histogram all;
  for (int i = 0; i < 5000; ++i) {
    const base::Nanos value = random.integer(0, 40 * base::kSecond);
    (i % 3 == 0 ? left : right).record(value);
    all.record(value);
  }
  left.merge(right);
  EXPECT_EQ(left.count(), all.count());
  for (const double q : {0.01, 0.5, 0.99, 1.0}) {
    EXPECT_EQ(left.percentile(q), all.percentile(q));
  }
}

TEST(Histogram, takes_the_ends) {
  Histogram histogram;
  EXPECT_FALSE(histogram.percentile(0.5).has_value());
  histogram.record(-5);
  histogram.record(Histogram::kLargest + 10);
  EXPECT_EQ(histogram.percentile(0.5), 0);
  EXPECT_EQ(histogram.percentile(1.0), Histogram::kLargest);
}

}  // namespace
}  // namespace steelyard::measure
