#include "study/step_meter.h"

#include "made_up_queue.h"

namespace steelyard::study {
namespace {

using base::kSecond;
using testing::HasSubstr;

Sla sla_of(std::string_view term, double target) {
  return {{quantity::parse_sla_term("", term).value()}, target};
}

Load rate(double rps) { return {Load::Kind::kRate, rps, {}}; }
Load concurrency(double slots) { return {Load::Kind::kConcurrency, slots, {}}; }

struct Seen {
  Finding finding;
  base::Nanos window = 0;
};
Seen measured(const Load& load, const MadeUpQueue& queue, const Sla& sla,
              const StepRules& rules = {}, base::Nanos at_most = 300 * kSecond) {
  StepMeter meter(load, sla, rules);
  Finding finding = QueueRun(queue, load).measure(meter, at_most);
  return {std::move(finding), meter.flow().window()};
}

// 8 slots of half a second: 16 requests a second.
TEST(StepMeter, a_load_well_below_capacity_meets_and_one_well_above_misses) {
  const Sla sla = sla_of("ttft<300ms", 0.95);
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const MadeUpQueue queue{.seed = seed};
    const Seen below = measured(rate(10), queue, sla);
    EXPECT_EQ(below.finding.verdict, StepVerdict::kMeets) << below.finding.reason.text_en;
    EXPECT_GE(below.window, 5 * kSecond);
    EXPECT_EQ(measured(rate(24), queue, sla).finding.verdict, StepVerdict::kMisses);
  }
}

// An SLA so lax that every request of a short step is on time, while the queue only grows.
TEST(StepMeter, a_load_above_capacity_misses_before_a_single_request_is_late) {
  const Sla sla = sla_of("e2e<60s", 0.9);
  int over = 0;
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    const Seen seen = measured(rate(32), {.seed = seed}, sla);
    over += seen.finding.over_capacity ? 1 : 0;
    EXPECT_NE(seen.finding.verdict, StepVerdict::kMeets);
    EXPECT_THAT(seen.finding.reason.text_en, HasSubstr("the number out grew"));
  }
  EXPECT_EQ(over, 40);
}

// 64 users at 8 slots: each waits for seven services of those before.
TEST(StepMeter, a_closed_loop_is_judged_by_what_comes_after_its_first_burst) {
  const Sla sla = sla_of("e2e<4.5s", 0.95);
  EXPECT_EQ(measured(concurrency(64), {}, sla).finding.verdict, StepVerdict::kMeets);
  EXPECT_EQ(measured(concurrency(80), {}, sla).finding.verdict, StepVerdict::kMisses);
}

int meets(double rps, const StepRules& rules, int runs) {
  int count = 0;
  for (int run = 1; run <= runs; ++run) {
    const MadeUpQueue queue{.seed = static_cast<std::uint64_t>(run)};
    const Seen seen = measured(rate(rps), queue, sla_of("e2e<3s", 0.99), rules);
    count += seen.finding.verdict == StepVerdict::kMeets ? 1 : 0;
  }
  return count;
}

// The queue needs half a minute to use up what the limit leaves; luck makes it more or less.
TEST(StepMeter, near_capacity_it_takes_its_time) {
  EXPECT_GE(meets(14, {}, 40), 36);
  EXPECT_LE(meets(17.6, {}, 40), 8);
  EXPECT_LE(meets(19.2, {}, 40), 1);
}

// As a search does to confirm what it found.
TEST(StepMeter, a_longer_step_sees_a_smaller_overload) {
  StepRules longer;
  longer.least *= 3;
  longer.most *= 3;
  longer.overload = 0.05;
  EXPECT_GE(meets(14, longer, 40), 36);
  EXPECT_LE(meets(16.8, longer, 40), 10);
  EXPECT_LE(meets(17.6, longer, 40), 1);
}

TEST(StepMeter, a_percentile_term_asks_for_its_own_share_and_a_mean_for_none) {
  // Of 16 at 8 slots each waits for one service: TTFT 550 ms, E2E 1 s.
  const Load load = concurrency(16);
  EXPECT_EQ(measured(load, {}, sla_of("ttft.p90<700ms", 0.99)).finding.verdict,
            StepVerdict::kMeets);
  EXPECT_EQ(measured(load, {}, sla_of("ttft.p90<400ms", 0.99)).finding.verdict,
            StepVerdict::kMisses);
  EXPECT_EQ(measured(load, {}, sla_of("e2e.mean<1200ms", 0.99)).finding.verdict,
            StepVerdict::kMeets);
  const Seen late = measured(load, {}, sla_of("e2e.mean<800ms", 0.99));
  EXPECT_EQ(late.finding.verdict, StepVerdict::kMisses);
  EXPECT_THAT(late.finding.reason.text_en, HasSubstr("e2e.mean<800ms: the mean is"));
}

TEST(StepMeter, without_an_sla_there_are_only_figures) {
  StepMeter meter(concurrency(8), {}, {});
  const Finding finding = QueueRun({}, concurrency(8)).measure(meter, 60 * kSecond);
  EXPECT_EQ(finding.verdict, StepVerdict::kNotAsked);
  EXPECT_TRUE(meter.settled());
  EXPECT_GE(meter.flow().settling(), 1500 * base::kMillisecond);
  EXPECT_NEAR(*meter.flow().completed_per_s(), 16, 1.6);
  EXPECT_NEAR(meter.flow().flow().output_tokens_per_s->value, 160, 16);
  EXPECT_NEAR(*meter.flow().mean_out(), 8, 0.01);
}

TEST(StepMeter, a_request_may_end_before_the_first_look) {
  StepMeter meter(concurrency(1), {}, {});
  meter.ended(completed({.sent_at = kSecond}));
  meter.begin(kSecond);
  EXPECT_FALSE(meter.look(2 * kSecond, 1));
  EXPECT_TRUE(meter.settled());
}

TEST(StepMeter, a_run_that_ends_before_it_settled_says_so) {
  StepMeter meter(concurrency(8), sla_of("ttft<1s", 0.99), {});
  const Finding finding = QueueRun({}, concurrency(8)).measure(meter, kSecond);
  EXPECT_EQ(finding.verdict, StepVerdict::kUndecided);
  EXPECT_EQ(finding.reason.text_en, "over before it settled");
  EXPECT_EQ(meter.figures().run.due(), 8);
}

TEST(StepMeter, where_figures_are_wanted_a_miss_does_not_cut_them_short) {
  const Sla sla = sla_of("ttft<100ms", 0.9);
  EXPECT_LT(measured(concurrency(32), {}, sla).window, 5 * kSecond);
  StepRules rules;
  rules.whole = true;
  const Seen seen = measured(concurrency(32), {}, sla, rules);
  EXPECT_EQ(seen.finding.verdict, StepVerdict::kMisses);
  EXPECT_GE(seen.window, 5 * kSecond);
}

TEST(StepMeter, on_the_way_up_it_is_enough_that_most_likely_it_meets) {
  StepRules rules;
  rules.screening = true;
  const Seen seen = measured(rate(8), {}, sla_of("e2e<3s", 0.99), rules);
  EXPECT_EQ(seen.finding.verdict, StepVerdict::kUndecided);
  EXPECT_TRUE(seen.finding.leans_met);
  EXPECT_LT(seen.window, 6 * kSecond);
}

}  // namespace
}  // namespace steelyard::study
