#include "measure/knee.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include "base/random.h"

namespace steelyard::measure {
namespace {

using Answer = Knee::Answer;

constexpr double kDegrees = 9;

std::vector<Estimate> sure(const std::vector<double>& powers) {
  std::vector<Estimate> estimates;
  for (const double power : powers) {
    estimates.push_back({power, 0.0, kDegrees});
  }
  return estimates;
}

std::vector<Estimate> seen(const std::vector<double>& powers, double spread) {
  std::vector<Estimate> estimates = sure(powers);
  std::ranges::for_each(estimates, [&](Estimate& estimate) { estimate.spread = spread; });
  return estimates;
}

TEST(Knee, is_the_load_of_the_most_power_between_its_neighbours) {
  const Knee knee = knee_of(sure({1, 2, 4, 3, 1}), false);
  EXPECT_EQ(knee.answer, Answer::kFound);
  EXPECT_EQ(knee.best, 2U);
  EXPECT_EQ(knee.above, 1U);
  EXPECT_EQ(knee.below, 3U);
}

TEST(Knee, needs_a_load_on_either_side) {
  EXPECT_EQ(knee_of({}, true).answer, Answer::kTooFewLoads);
  EXPECT_EQ(knee_of(sure({1, 2}), true).answer, Answer::kTooFewLoads);
  EXPECT_FALSE(knee_of(sure({1, 2}), true).best);
}

TEST(Knee, is_not_the_last_load_for_want_of_a_larger_one) {
  const Knee knee = knee_of(sure({1, 2, 4, 8}), true);
  EXPECT_EQ(knee.answer, Answer::kStillRising);
  EXPECT_FALSE(knee.below);
}

TEST(Knee, is_not_the_first_load_unless_there_is_none_below_it) {
  EXPECT_EQ(knee_of(sure({8, 4, 2}), false).answer, Answer::kFalling);
  const Knee least = knee_of(sure({8, 4, 2}), true);
  EXPECT_EQ(least.answer, Answer::kFound);
  EXPECT_EQ(least.best, 0U);
  EXPECT_FALSE(least.above);
  EXPECT_EQ(least.below, 1U);
}

TEST(Knee, a_load_that_may_be_as_good_is_within_its_interval) {
  const Knee knee = knee_of(seen({1, 3.9, 4, 1, 0.5}, 0.05), false);
  EXPECT_EQ(knee.answer, Answer::kFound);
  EXPECT_EQ(knee.best, 2U);
  EXPECT_EQ(knee.above, 0U);
  EXPECT_EQ(knee.below, 3U);
}

TEST(Knee, there_is_none_to_name_where_the_end_may_be_as_good) {
  EXPECT_EQ(knee_of(seen({1, 3, 4, 3.9}, 0.05), false).answer, Answer::kNotToldApart);
  EXPECT_EQ(knee_of(seen({3.9, 4, 1}, 0.05), false).answer, Answer::kNotToldApart);
  EXPECT_EQ(knee_of(seen({3.9, 4, 1}, 0.05), true).answer, Answer::kFound);
  EXPECT_EQ(knee_of(sure({4, 4, 4}), true).answer, Answer::kNotToldApart);
}

TEST(Knee, a_load_of_which_too_little_is_known_is_not_ruled_out) {
  std::vector<Estimate> powers = sure({1, 4, 2, 1});
  powers.back().spread.reset();
  EXPECT_EQ(knee_of(powers, false).answer, Answer::kNotToldApart);
  powers.back() = {0, {}, 0};  // nothing is completed under it
  EXPECT_EQ(knee_of(powers, false).answer, Answer::kFound);
}

TEST(Knee, each_answer_has_a_name_of_its_own) {
  std::vector<std::string> names;
  for (const Answer answer : {Answer::kFound, Answer::kTooFewLoads, Answer::kStillRising,
                              Answer::kFalling, Answer::kNotToldApart}) {
    names.emplace_back(name_of(answer));
  }
  EXPECT_THAT(names, testing::ElementsAre("found", "too_few_loads", "still_rising", "falling",
                                          "not_told_apart"));
}

// Throughput of a load, and the time in the system under it.
using Server = std::function<double(double load)>;

std::vector<double> doubled(double from, double to) {
  std::vector<double> loads;
  for (double load = from; load <= to; load *= 2) {
    loads.push_back(load);
  }
  return loads;
}

Knee knee_at(const Server& power, const std::vector<double>& loads, bool from_least) {
  std::vector<double> powers;
  std::ranges::transform(loads, std::back_inserter(powers), power);
  return knee_of(sure(powers), from_least);
}

// Slots that nobody waits for until all are taken.
TEST(Knee, of_a_server_with_slots_is_their_number) {
  for (const double slots : {2.0, 8.0, 64.0}) {
    const Server power = [&](double users) {
      const double x = std::min(users, slots);
      return x * x / users;
    };
    const std::vector<double> loads = doubled(1, 256);
    const Knee knee = knee_at(power, loads, true);
    EXPECT_EQ(loads.at(knee.best.value()), slots);
  }
}

// A step takes a + b n with n in the batch: twice as long as a alone at n = a / b.
TEST(Knee, of_a_batching_server_is_where_a_step_takes_twice_as_long) {
  const Server power = [](double users) {
    const double step = 16 + users;
    return users / (step * step);
  };
  const std::vector<double> loads = doubled(1, 256);
  EXPECT_EQ(loads.at(knee_at(power, loads, true).best.value()), 16);
}

TEST(Knee, of_one_server_with_random_arrivals_is_half_its_capacity) {
  const Server power = [](double rate) { return rate * (1 - rate); };
  const std::vector<double> loads = {0.1, 0.3, 0.5, 0.7, 0.9};
  EXPECT_EQ(knee_at(power, loads, false).best, 2U);
}

// Curves of one peak, at any place, with or without noise.
struct MadeUpCurve {
  std::vector<double> powers;
  std::size_t peak = 0;
};
MadeUpCurve curve_of(base::Random& random) {
  const auto n = static_cast<std::size_t>(random.integer(5, 12));
  MadeUpCurve curve{std::vector<double>(n, 1), 0};
  curve.peak = static_cast<std::size_t>(random.integer(2, static_cast<std::int64_t>(n) - 3));
  for (std::size_t i = curve.peak; i-- > 0;) {
    curve.powers[i] = curve.powers[i + 1] / (1.05 + random.uniform());
  }
  for (std::size_t i = curve.peak + 1; i < n; ++i) {
    curve.powers[i] = curve.powers[i - 1] / (1.05 + random.uniform());
  }
  return curve;
}
std::vector<Estimate> measured(const MadeUpCurve& curve, double spread, base::Random& random) {
  std::vector<Estimate> estimates = seen(curve.powers, spread);
  for (Estimate& estimate : estimates) {
    estimate.value *= std::exp(spread * random.normal());
    double chi2 = 0;
    for (int i = 0; i < kDegrees; ++i) {
      const double z = random.normal();
      chi2 += z * z;
    }
    estimate.spread = spread * std::sqrt(chi2 / kDegrees);
  }
  return estimates;
}

constexpr int kCurves = 400;

TEST(Knee, noise_moves_it_out_of_its_interval_no_more_often_than_it_says) {
  int named = 0;
  int missed = 0;
  for (int i = 0; i < kCurves; ++i) {
    base::Random random = base::Random(3).fork(static_cast<std::uint64_t>(i));
    const MadeUpCurve curve = curve_of(random);
    const Knee knee = knee_of(measured(curve, 0.1, random), false);
    if (knee.answer == Answer::kFound) {
      ++named;
      missed += *knee.above < curve.peak && curve.peak < *knee.below ? 0 : 1;
    }
  }
  EXPECT_GE(named, kCurves / 2);
  EXPECT_LE(missed, 0.05 * kCurves);
}

TEST(Knee, units_of_throughput_and_time_do_not_move_it) {
  for (int i = 0; i < kCurves; ++i) {
    base::Random random = base::Random(5).fork(static_cast<std::uint64_t>(i));
    std::vector<Estimate> powers = measured(curve_of(random), 0.1, random);
    const Knee before = knee_of(powers, false);
    std::ranges::for_each(powers, [](Estimate& power) { power.value *= 1'000; });
    const Knee now = knee_of(powers, false);
    EXPECT_EQ(now.answer, before.answer);
    EXPECT_EQ(now.best, before.best);
    EXPECT_EQ(now.above, before.above);
    EXPECT_EQ(now.below, before.below);
  }
}

// What a chord's distance cannot promise: loads further out may be added.
TEST(Knee, loads_far_beyond_it_do_not_move_it) {
  for (int i = 0; i < kCurves; ++i) {
    base::Random random = base::Random(9).fork(static_cast<std::uint64_t>(i));
    std::vector<Estimate> powers = sure(curve_of(random).powers);
    const Knee before = knee_of(powers, false);
    powers.push_back({powers.back().value / 10, 0.0, kDegrees});
    powers.push_back({0, {}, 0});
    const Knee now = knee_of(powers, false);
    EXPECT_EQ(now.answer, Answer::kFound);
    EXPECT_EQ(now.best, before.best);
    EXPECT_EQ(now.below, before.below);
  }
}

TEST(Knee, less_certainty_never_narrows_its_interval) {
  for (int i = 0; i < kCurves; ++i) {
    base::Random random = base::Random(11).fork(static_cast<std::uint64_t>(i));
    std::vector<Estimate> powers = seen(curve_of(random).powers, 0.02);
    const Knee before = knee_of(powers, false);
    std::ranges::for_each(powers, [](Estimate& power) { *power.spread *= 2; });
    const Knee now = knee_of(powers, false);
    EXPECT_EQ(now.best, before.best);
    if (now.answer == Answer::kFound) {
      EXPECT_EQ(before.answer, Answer::kFound);
      EXPECT_LE(*now.above, *before.above);
      EXPECT_GE(*now.below, *before.below);
    }
  }
}

}  // namespace
}  // namespace steelyard::measure
