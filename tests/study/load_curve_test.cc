#include "study/load_curve.h"

#include "base/random.h"
#include "made_up_queue.h"

namespace steelyard::study {
namespace {

using Answer = measure::Knee::Answer;
using base::kSecond;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

struct Made {
  double load = 1;
  double power = 1;
  double all = 100;  // output tokens a second
  double user = 50;  // of one user
  std::optional<std::int64_t> input_len{};
  Load::Kind kind = Load::Kind::kConcurrency;
};

StepResult step_of(const Made& made) {
  StepResult step;
  step.load = {made.kind, made.load, made.input_len};
  step.settled = true;
  step.window = 10 * kSecond;
  step.flow.power = measure::Estimate{made.power, 0.01, 9};
  step.flow.output_tokens_per_s = measure::Estimate{made.all, 0.01, 9};
  const double ms = 1'000 / made.user;
  step.summary.tpot_ms.p50 = measure::Percentile{ms, 0.99 * ms, 1.01 * ms};
  return step;
}

std::vector<StepResult> steps_of(const std::vector<Made>& made) {
  std::vector<StepResult> steps;
  for (const Made& each : made) {
    steps.push_back(step_of(each));
  }
  return steps;
}

LoadCurve only_curve(const std::vector<StepResult>& steps) {
  std::vector<LoadCurve> curves = curves_of(steps);
  EXPECT_EQ(curves.size(), 1U);
  return curves.at(0);
}

TEST(LoadCurve, its_loads_stand_in_order_whatever_the_order_they_were_measured_in) {
  const auto steps = steps_of({{8, 4}, {1, 1}, {16, 2}, {4, 3}});
  const LoadCurve curve = only_curve(steps);
  EXPECT_THAT(curve.steps, ElementsAre(1, 3, 0, 2));
  EXPECT_EQ(curve.knee_step(), 0U);
  EXPECT_EQ(curve.knee.above, 3U);
  EXPECT_EQ(curve.knee.below, 2U);
  EXPECT_EQ(knee_text(curve, steps).text_en, "concurrency 8, between 4 and 16 (95 %)");
  EXPECT_EQ(knee_text(curve, steps).text_zh, "concurrency 8，介于 4 与 16 之间（95 %）");
}

TEST(LoadCurve, of_a_load_measured_twice_the_longer_step_counts_and_a_settled_one_first) {
  auto steps = steps_of({{1, 1}, {8, 4}, {8, 5}, {8, 6}, {16, 1}});
  steps[2].window = 30 * kSecond;
  steps[3].window = 90 * kSecond;
  steps[3].settled = false;
  EXPECT_THAT(only_curve(steps).steps, ElementsAre(0, 2, 4));
}

TEST(LoadCurve, each_input_length_has_one_of_its_own) {
  const auto steps = steps_of({{1, 1, 9, 9, 512},
                               {2, 2, 9, 9, 512},
                               {4, 1, 9, 9, 512},
                               {1, 1, 9, 9, 64},
                               {2, 2, 9, 9, 64}});
  const auto curves = curves_of(steps);
  ASSERT_EQ(curves.size(), 2U);
  EXPECT_EQ(curves[0].input_len, 64);
  EXPECT_EQ(curves[0].knee.answer, Answer::kTooFewLoads);
  EXPECT_EQ(knee_text(curves[0], steps).text_en,
            "not known: 2 loads were measured, and it takes 3 at least");
  EXPECT_EQ(curves[1].knee_step(), 1U);
}

TEST(LoadCurve, no_step_is_no_curve) { EXPECT_THAT(curves_of({}), IsEmpty()); }

TEST(LoadCurve, of_one_request_at_once_there_is_no_smaller_load) {
  const auto least = steps_of({{1, 4}, {2, 2}, {4, 1}});
  EXPECT_EQ(knee_text(only_curve(least), least).text_en, "concurrency 1, below 2 (95 %)");
  const auto more = steps_of({{2, 4}, {4, 2}, {8, 1}});
  EXPECT_THAT(knee_text(only_curve(more), more).text_en,
              HasSubstr("not seen: concurrency 2, the smallest load"));
}

TEST(LoadCurve, a_last_load_that_still_rises_is_not_called_the_knee) {
  const auto steps = steps_of({{1, 1}, {2, 2}, {4, 4}});
  const LoadCurve curve = only_curve(steps);
  EXPECT_FALSE(curve.knee_step());
  EXPECT_THAT(knee_text(curve, steps).text_en,
              HasSubstr("not reached: concurrency 4, the largest"));
}

TEST(LoadCurve, the_ends_that_may_be_as_good_are_named) {
  const auto steps = steps_of({{1, 4}, {2, 4.01}, {4, 4}});
  EXPECT_THAT(knee_text(only_curve(steps), steps).text_en,
              HasSubstr("not sure: concurrency 2 looks best, but concurrency 4 may be as good"));
  std::vector<StepResult> rates = steps;
  for (StepResult& step : rates) {
    step.load.kind = Load::Kind::kRate;
  }
  EXPECT_THAT(knee_text(only_curve(rates), rates).text_en,
              HasSubstr("but 1 req/s or 4 req/s may be as good"));
}

TEST(LoadCurve, a_step_without_a_figure_is_passed_over) {
  auto steps = steps_of({{1, 1}, {2, 9}, {4, 4}, {8, 1}});
  steps[1].flow = {};
  const LoadCurve curve = only_curve(steps);
  EXPECT_EQ(curve.knee_step(), 2U);
  EXPECT_EQ(curve.knee.above, 0U);
  EXPECT_FALSE(curve.on_frontier(1));
}

TEST(LoadCurve, the_frontier_is_what_no_other_surely_beats) {
  const auto steps =
      steps_of({{1, 1, 100, 50},
                {2, 1, 200, 49.9},  // as fast for a user as one alone, and more for all
                {4, 1, 300, 40},
                {8, 1, 250, 30},       // beaten in both
                {16, 1, 301, 39.9}});  // not told apart from concurrency 4
  EXPECT_THAT(only_curve(steps).frontier, ElementsAre(1, 2, 4));
}

TEST(LoadCurve, what_is_not_known_surely_beats_nobody_and_is_beaten_by_nobody) {
  auto steps = steps_of({{1, 1, 100, 50}, {2, 1, 50, 40}});
  steps[1].summary.tpot_ms.p50 = measure::Percentile{25, {}, {}};
  steps[1].flow.output_tokens_per_s->spread.reset();
  EXPECT_THAT(only_curve(steps).frontier, ElementsAre(0, 1));
}

TEST(LoadCurve, some_load_is_always_on_the_frontier) {
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    base::Random random(seed);
    std::vector<Made> made;
    for (int i = 0; i < 8; ++i) {
      made.push_back({1.0 + i, 1, 100 + 20 * random.uniform(), 50 + 10 * random.uniform()});
    }
    auto steps = steps_of(made);
    for (StepResult& step : steps) {
      step.flow.output_tokens_per_s->spread = 0.1 * random.uniform();
    }
    EXPECT_FALSE(only_curve(steps).frontier.empty()) << seed;
  }
}

// A sweep of a platform of eight slots: so many users find one free each, and no more do.
LoadCurve of_eight_slots(const MadeUpQueue& queue, const StepRules& rules) {
  std::vector<StepResult> steps;
  for (const double users : {1, 2, 4, 8, 16, 32}) {
    const Load load{Load::Kind::kConcurrency, users, {}};
    StepMeter meter(load, {}, rules);
    QueueRun(queue, load).measure(meter, 300 * kSecond);
    StepResult step = step_of({users});
    step.flow = meter.flow().flow();
    steps.push_back(std::move(step));
  }
  return only_curve(steps);
}

TEST(LoadCurve, the_knee_of_slots_is_found_by_steps_of_the_default_length) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const LoadCurve curve = of_eight_slots({.seed = seed}, {});
    EXPECT_EQ(curve.knee_step(), 3U) << seed;
  }
}

TEST(LoadCurve, where_answers_differ_in_length_it_takes_longer_and_errs_no_more_often) {
  StepRules rules;
  rules.least = 30 * kSecond;
  int named = 0;
  int outside = 0;
  constexpr int kRuns = 20;
  for (std::uint64_t seed = 1; seed <= kRuns; ++seed) {
    const LoadCurve curve = of_eight_slots({.exponential = true, .seed = seed}, rules);
    if (curve.knee_step()) {
      ++named;
      outside += *curve.knee.below <= 3 || curve.knee.above.value_or(0) >= 3 ? 1 : 0;
    }
  }
  EXPECT_GE(named, 0.9 * kRuns);
  EXPECT_LE(outside, 0.05 * kRuns);
}

}  // namespace
}  // namespace steelyard::study
