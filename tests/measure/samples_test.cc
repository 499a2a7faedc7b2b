#include "measure/samples.h"

#include <cmath>
#include <vector>

#include "base/random.h"
#include "measure/percentile.h"

namespace steelyard::measure {
namespace {

std::vector<double> lognormal(std::size_t n, std::uint64_t seed) {
  base::Random random(seed);
  std::vector<double> values(n);
  for (double& value : values) {
    value = std::floor(random.lognormal(17, 1.5));
  }
  return values;
}

Samples samples_of(const std::vector<double>& values) {
  Samples samples;
  for (const double value : values) {
    samples.add(value);
  }
  return samples;
}

TEST(Samples, few_are_kept_as_they_are) {
  std::vector<double> values = lognormal(Samples::kMostExact, 1);
  const Samples samples = samples_of(values);
  EXPECT_TRUE(samples.exact());
  std::sort(values.begin(), values.end());
  const Samples::Ranked ranked(samples);
  ASSERT_EQ(ranked.size(), values.size());
  for (std::size_t rank = 1; rank <= values.size(); rank += 97) {
    EXPECT_EQ(ranked.at(rank), values[rank - 1]);
  }
}

TEST(Samples, many_are_within_the_stated_error_and_their_ends_exact) {
  std::vector<double> values = lognormal(200'000, 2);
  const Samples samples = samples_of(values);
  EXPECT_FALSE(samples.exact());
  std::sort(values.begin(), values.end());
  const Samples::Ranked ranked(samples);
  for (std::size_t rank = 1; rank <= values.size(); rank += 997) {
    const double truth = values[rank - 1];
    EXPECT_NEAR(ranked.at(rank), truth, truth * Histogram::kRelativeError + 0.5) << rank;
  }
  EXPECT_EQ(ranked.at(1), values.front());
  EXPECT_EQ(ranked.at(values.size()), values.back());
}

TEST(Samples, a_value_that_stands_for_several_is_as_many) {
  Samples samples;
  samples.add(20, 3);
  samples.add(50, 1);
  samples.add(99, 0);
  const Samples::Ranked ranked(samples);
  EXPECT_EQ(samples.count(), 4);
  EXPECT_EQ(ranked.at(3), 20);
  EXPECT_EQ(ranked.at(4), 50);
  EXPECT_DOUBLE_EQ(samples.moments().mean, 27.5);
  EXPECT_DOUBLE_EQ(*samples.moments().deviation(), 15);
}

// Whatever the sizes of the parts, below, across and above the number kept exactly.
TEST(Samples, merged_is_as_added_to_one) {
  for (const std::size_t of_left : {0U, 1U, 20'000U, 40'000U}) {
    for (const std::size_t of_right : {0U, 1U, 20'000U, 40'000U}) {
      const std::vector<double> lefts = lognormal(of_left, 3);
      const std::vector<double> rights = lognormal(of_right, 4);
      std::vector<double> both = lefts;
      both.insert(both.end(), rights.begin(), rights.end());
      Samples merged = samples_of(lefts);
      merged.merge(samples_of(rights));
      const Samples all = samples_of(both);
      ASSERT_EQ(merged.count(), all.count());
      ASSERT_EQ(merged.exact(), all.exact());
      if (all.count() == 0) {
        continue;
      }
      const Moments one = merged.moments();
      const Moments other = all.moments();
      EXPECT_NEAR(one.mean, other.mean, other.mean * 1e-12);
      EXPECT_NEAR(one.squares, other.squares, other.squares * 1e-9);
      for (const double q : {0.001, 0.5, 0.99, 1.0}) {
        const std::size_t rank = nearest_rank(q, both.size());
        EXPECT_EQ(Samples::Ranked(merged).at(rank), Samples::Ranked(all).at(rank)) << q;
      }
    }
  }
}

TEST(Samples, a_first_one_far_from_all_others_costs_the_deviation_no_digit) {
  base::Random random(5);
  Samples samples;
  samples.add(1e10);
  std::vector<double> values{1e10};
  for (int i = 0; i < 5000; ++i) {
    values.push_back(1e5 + random.uniform());
    samples.add(values.back());
  }
  double mean = 0;
  for (const double value : values) {
    mean += value / static_cast<double>(values.size());
  }
  double squares = 0;
  for (const double value : values) {
    squares += (value - mean) * (value - mean);
  }
  EXPECT_NEAR(samples.moments().squares, squares, squares * 1e-12);
}

}  // namespace
}  // namespace steelyard::measure
