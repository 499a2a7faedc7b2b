#include "measure/share_test.h"

#include <cmath>

#include "base/random.h"

namespace steelyard::measure {
namespace {

using Answer = ShareTest::Answer;

struct Looked {
  Answer answer = Answer::kOpen;
  std::int64_t after = 0;  // requests
};

// Looks after every single request, and takes the first answer.
Looked look_until(double target, double share, std::int64_t most, base::Random& random) {
  ShareTest test(target, 0.05);
  while (test.due() < most && test.answer() == Answer::kOpen) {
    test.add(random.uniform() < share);
  }
  return {test.answer(), test.due()};
}

// At the edge itself either answer is as wrong as it can be.
TEST(ShareTest, is_wrong_no_more_often_than_it_says_however_often_one_looks) {
  constexpr int kRuns = 300;
  for (const double target : {0.5, 0.9, 0.99}) {
    int reached = 0;
    int missed = 0;
    for (int run = 0; run < kRuns; ++run) {
      base::Random random = base::Random(17).fork(static_cast<std::uint64_t>(run));
      const Answer answer = look_until(target, target, 500, random).answer;
      reached += answer == Answer::kReached ? 1 : 0;
      missed += answer == Answer::kMissed ? 1 : 0;
    }
    // 5 %, and three deviations of 300 draws.
    EXPECT_LE(reached, 0.0877 * kRuns) << target;
    EXPECT_LE(missed, 0.0877 * kRuns) << target;
  }
}

TEST(ShareTest, answers_when_the_share_is_not_close_to_the_target) {
  constexpr int kRuns = 100;
  int right = 0;
  std::int64_t looked = 0;
  for (int run = 0; run < kRuns; ++run) {
    base::Random random = base::Random(5).fork(static_cast<std::uint64_t>(run));
    const Looked above = look_until(0.9, 0.97, 3'000, random);
    const Looked below = look_until(0.9, 0.8, 3'000, random);
    right += (above.answer == Answer::kReached ? 1 : 0) + (below.answer == Answer::kMissed ? 1 : 0);
    looked += above.after + below.after;
  }
  EXPECT_GE(right, 0.94 * 2 * kRuns);
  EXPECT_LT(looked / (2 * kRuns), 400);
}

// Where every request meets the limit, a test of one fixed size needs 299 of them for 99 %.
TEST(ShareTest, nothing_missed_shows_99_percent_after_some_hundred) {
  ShareTest test(0.99, 0.05);
  while (test.answer() == Answer::kOpen) {
    test.add(true);
  }
  EXPECT_EQ(test.answer(), Answer::kReached);
  EXPECT_GE(test.due(), 299);
  EXPECT_LE(test.due(), 450);
}

TEST(ShareTest, everything_missed_is_seen_at_once) {
  ShareTest test(0.99, 0.05);
  test.add(false);
  test.add(false);
  EXPECT_EQ(test.answer(), Answer::kMissed);
}

TEST(ShareTest, no_number_shows_that_all_will_meet_it) {
  ShareTest test(1, 0.05);
  EXPECT_TRUE(test.leans_reached());
  for (int i = 0; i < 10'000; ++i) {
    test.add(true);
  }
  EXPECT_EQ(test.answer(), Answer::kOpen);
  test.add(false);
  EXPECT_EQ(test.answer(), Answer::kMissed);
  EXPECT_FALSE(test.leans_reached());
}

TEST(ShareTest, holds_with_millions) {
  ShareTest test(0.999, 0.05);
  for (int i = 0; i < 3'000'000; ++i) {
    test.add(i % 2'000 != 0);
  }
  EXPECT_EQ(test.answer(), Answer::kReached);
}

TEST(AnytimeInterval, is_wider_than_the_one_for_a_size_fixed_beforehand) {
  for (const auto& [met, due] : {std::pair(9, 10), std::pair(98, 100), std::pair(990, 1'000)}) {
    const ShareInterval any = *anytime_interval(met, due);
    const ShareInterval fixed = *share_interval(met, due);
    EXPECT_LE(any.low, fixed.low);
    EXPECT_GE(any.high, fixed.high);
    EXPECT_LT(any.high - any.low, 2 * (fixed.high - fixed.low));
  }
  EXPECT_EQ(anytime_interval(10, 10)->high, 1);
  EXPECT_EQ(anytime_interval(0, 10)->low, 0);
  EXPECT_FALSE(anytime_interval(0, 0));
}

// Read off when it looks worst.
TEST(AnytimeInterval, holds_the_truth_at_every_number_at_once) {
  constexpr int kRuns = 200;
  int lost = 0;
  for (int run = 0; run < kRuns; ++run) {
    base::Random random = base::Random(3).fork(static_cast<std::uint64_t>(run));
    std::int64_t met = 0;
    bool held = true;
    for (std::int64_t due = 1; due <= 300; ++due) {
      met += random.uniform() < 0.8 ? 1 : 0;
      const ShareInterval interval = *anytime_interval(met, due);
      held = held && interval.low <= 0.8 && 0.8 <= interval.high;
    }
    lost += held ? 0 : 1;
  }
  EXPECT_LE(lost, 0.0962 * kRuns);
}

}  // namespace
}  // namespace steelyard::measure
