#include "measure/distribution.h"

namespace steelyard::measure {
namespace {

// 1 ms, 2 ms... in any order: nothing depends on it.
Samples one_to(int n) {
  Samples samples;
  for (int i = n; i >= 1; --i) {
    samples.add(i * 1e6);
  }
  return samples;
}

// Three of a hundred fail: P97 is the slowest that came, and beyond it none ever does.
TEST(WithFailures, three_percent_failures_leave_no_p99) {
  const std::vector<double> percents{97};
  const WithFailures all = with_failures(one_to(97), 3, percents);
  EXPECT_EQ(all.n, 100);
  EXPECT_EQ(all.failed, 3);
  EXPECT_EQ(all.p50->value, 50);
  EXPECT_EQ(all.p90->value, 90);
  EXPECT_EQ(all.others.at(97).value, 97);
  EXPECT_FALSE(all.p99->value);
  EXPECT_FALSE(all.p99->high);
  EXPECT_FALSE(all.others.at(97).high);
}

TEST(WithFailures, the_interval_may_reach_the_failures_before_the_value_does) {
  const WithFailures all = with_failures(one_to(950), 50);
  EXPECT_EQ(all.p90->value, 900);
  EXPECT_EQ(all.p90->low, 881) << "as of a thousand";
  EXPECT_EQ(all.p90->high, 919);
  const WithFailures more = with_failures(one_to(910), 90);
  EXPECT_EQ(more.p90->value, 900);
  EXPECT_TRUE(more.p90->low);
  EXPECT_FALSE(more.p90->high);
}

TEST(WithFailures, without_failures_they_are_the_plain_ones) {
  const WithFailures all = with_failures(one_to(500), 0);
  const Distribution plain = distribution_of(one_to(500));
  EXPECT_EQ(all.p99->value, plain.p99->value);
  EXPECT_EQ(all.p99->low, plain.p99->low);
  EXPECT_EQ(all.p99->high, plain.p99->high);
}

TEST(WithFailures, when_all_fail_nothing_ever_comes_and_of_nothing_nothing_is_said) {
  const WithFailures none = with_failures(Samples(), 7);
  ASSERT_TRUE(none.p50);
  EXPECT_FALSE(none.p50->value);
  EXPECT_FALSE(with_failures(Samples(), 0).p50);
}

}  // namespace
}  // namespace steelyard::measure
