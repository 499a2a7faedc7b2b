#include "study/bracket.h"

#include "made_up_queue.h"
#include "study/load_study.h"

namespace steelyard::study {
namespace {

using Phase = Bracket::Phase;

struct Path {
  std::vector<double> loads;
  std::optional<double> best;
  bool confirmed = false;
};

// A platform that meets the SLA up to a load, and never above it.
Path search(const BracketRange& range, double up_to) {
  Bracket bracket(range);
  Path path;
  while (const auto next = bracket.next()) {
    path.loads.push_back(next->load);
    bracket.take(*next, next->load <= up_to);
    if (path.loads.size() > 60) {
      ADD_FAILURE() << "it does not end";
      break;
    }
  }
  path.best = bracket.best();
  path.confirmed = bracket.confirmed();
  return path;
}

TEST(Bracket, finds_every_whole_load) {
  for (int up_to = 1; up_to <= 70; ++up_to) {
    const Path path = search({1, 1, 64, true, 0.01}, up_to);
    EXPECT_EQ(path.best, std::min(up_to, 64));
    EXPECT_TRUE(path.confirmed);
    EXPECT_LE(path.loads.size(), 14U);
  }
}

TEST(Bracket, finds_a_rate_to_its_resolution) {
  for (const double up_to : {0.013, 0.4, 1.0, 3.7, 55.5, 999.0}) {
    const Path path = search({1, 0.01, 1'000, false, 0.05}, up_to);
    EXPECT_LE(*path.best, up_to);
    EXPECT_GE(*path.best, up_to / 1.05);
    EXPECT_TRUE(path.confirmed);
    EXPECT_LE(path.loads.size(), 16U);
  }
}

TEST(Bracket, ends_where_nothing_meets_it_and_where_everything_does) {
  const Path none = search({8, 1, 64, true, 0.05}, 0);
  EXPECT_EQ(none.loads, (std::vector<double>{8, 4, 2, 1}));
  EXPECT_FALSE(none.best);
  const Path all = search({8, 1, 50, true, 0.05}, 1'000);
  EXPECT_EQ(all.loads, (std::vector<double>{8, 16, 32, 50, 50}));
  EXPECT_EQ(all.best, 50);
}

TEST(Bracket, a_winner_that_is_not_confirmed_makes_room_for_a_smaller_one) {
  Bracket bracket({1, 1, 64, true, 0.05});
  std::optional<double> failed;
  while (const auto next = bracket.next()) {
    const bool met = next->load <= (next->phase == Phase::kConfirm ? 6 : 12);
    bracket.take(*next, met);
    failed = next->phase == Phase::kConfirm && !met ? next->load : failed;
  }
  EXPECT_TRUE(failed);
  EXPECT_EQ(bracket.best(), 6);
  EXPECT_TRUE(bracket.confirmed());
  EXPECT_EQ(bracket.least_missed(), 7);
}

// 8 slots of half a second serve 16 requests a second, and no more; an SLA that leaves room for a
// queue is met up to nearly that.
TEST(Bracket, with_steps_that_lie_now_and_then_it_finds_what_the_platform_can_do) {
  const Sla sla{{quantity::parse_sla_term("", "e2e<3s").value()}, 0.95};
  const BracketRange range{1, 0.01, 1'000, false, 0.05};
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    Bracket bracket(range);
    std::uint64_t step = 0;
    while (const auto next = bracket.next()) {
      const Load load{Load::Kind::kRate, next->load, {}};
      StepMeter meter(load, sla, rules_for({}, next->phase, range.resolution));
      QueueRun run({.seed = 1'000 * seed + step++}, load);
      bracket.take(*next, run.measure(meter, 600 * base::kSecond).leans_met);
    }
    EXPECT_GE(bracket.best().value_or(0), 0.85 * 16) << seed;
    EXPECT_LE(bracket.best().value_or(0), 1.05 * 16) << seed;
    EXPECT_LE(step, 20U) << seed;
  }
}

}  // namespace
}  // namespace steelyard::study
