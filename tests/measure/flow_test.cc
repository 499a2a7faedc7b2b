#include "measure/flow.h"

#include <cmath>
#include <vector>

#include "base/random.h"

namespace steelyard::measure {
namespace {

using base::kSecond;

constexpr base::Nanos kStart = 1'000 * kSecond;

base::Nanos after(double seconds) { return kStart + base::from_seconds(seconds); }

// So many users, each of whom asks again as soon as it is answered; from five seconds before the
// window on. A fifth of each time passes before the first token.
std::vector<Passage> closed_loop(int users, double window_s, base::Random& random,
                                 bool constant = false) {
  std::vector<Passage> passages;
  for (int user = 0; user < users; ++user) {
    double at = -5 - random.uniform();
    while (at < window_s) {
      const double takes = constant ? 1 : random.exponential() + 1e-6;
      passages.push_back({after(at), after(at + takes / 5), after(at + takes), true, 20});
      at += takes;
    }
  }
  return passages;
}

Flow flow_over(const std::vector<Passage>& passages, double window_s) {
  return flow_of(passages, kStart, after(window_s));
}

// Each user gets an answer a second; four of them keep four requests for a second each.
TEST(Flow, a_steady_stream_has_the_figures_that_little_gives_it) {
  base::Random random(1);
  const Flow flow = flow_over(closed_loop(4, 40, random, true), 40);
  EXPECT_NEAR(flow.answers_per_s->value, 4, 0.02);
  EXPECT_NEAR(flow.output_tokens_per_s->value, 80, 0.5);
  EXPECT_NEAR(flow.power->value, 4, 0.05);
  EXPECT_LT(*flow.power->high() / *flow.power->low(), 1.1);
  EXPECT_GE(flow.power->value, *flow.power->low());
}

TEST(Flow, an_answer_counts_as_it_comes) {
  const std::vector<Passage> one = {{after(0), after(1), after(5), true, 8}};
  const Flow half = flow_of(one, after(1), after(3));
  EXPECT_NEAR(half.output_tokens_per_s->value, 2, 1e-9);
  EXPECT_NEAR(half.answers_per_s->value, 0.25, 1e-9);
  const Flow waiting = flow_of(one, after(0), after(1));
  EXPECT_FALSE(waiting.answers_per_s);
  EXPECT_FALSE(waiting.power) << "it may still come";
}

TEST(Flow, what_comes_all_at_once_counts_where_it_ends) {
  const std::vector<Passage> whole = {{after(0), after(2), after(2), true, 8}};
  EXPECT_NEAR(flow_of(whole, after(1), after(3)).output_tokens_per_s->value, 4, 1e-9);
  EXPECT_FALSE(flow_of(whole, after(0), after(2)).output_tokens_per_s);
}

TEST(Flow, nothing_in_the_window_is_no_figure) {
  EXPECT_FALSE(flow_of({}, kStart, after(1)).power);
  const std::vector<Passage> before = {{after(0), after(1), after(2)}};
  EXPECT_FALSE(flow_of(before, after(3), after(4)).power);
  EXPECT_FALSE(flow_of(before, after(1), after(1)).power);
}

TEST(Flow, tokens_that_nobody_counted_are_no_figure) {
  const std::vector<Passage> uncounted = {{after(0), after(1), after(2)}};
  const Flow flow = flow_of(uncounted, after(0), after(3));
  EXPECT_FALSE(flow.output_tokens_per_s);
  EXPECT_TRUE(flow.power);
}

// Half of the callers are turned away at once and ask again: an answer takes twice as long to get.
TEST(Flow, a_caller_whose_request_fails_asks_again) {
  base::Random random(2);
  std::vector<Passage> passages = closed_loop(4, 40, random, true);
  const double served = flow_over(passages, 40).power->value;
  const std::size_t n = passages.size();
  for (std::size_t i = 0; i < n; ++i) {
    const base::Nanos end = passages[i].end_at;
    passages.push_back({end, end, end, false, 0});
  }
  EXPECT_NEAR(flow_over(passages, 40).power->value, served / 2, 0.01);
}

TEST(Flow, where_all_fail_there_is_no_power_and_that_is_known) {
  const std::vector<Passage> failed = {{after(0), after(1), after(1), false, 0}};
  const Flow flow = flow_of(failed, after(0), after(2));
  EXPECT_EQ(flow.power->value, 0);
  EXPECT_FALSE(flow.power->low());
}

// How often the interval of the power of users who never wait for each other holds the true one:
// as many answers a second, of a second each, as there are users.
double held(int users, double window_s, int runs) {
  int held = 0;
  for (int run = 0; run < runs; ++run) {
    base::Random random = base::Random(7).fork(static_cast<std::uint64_t>(run));
    const Flow flow = flow_over(closed_loop(users, window_s, random), window_s);
    held += *flow.power->low() <= users && users <= *flow.power->high() ? 1 : 0;
  }
  return static_cast<double>(held) / runs;
}

TEST(Flow, its_intervals_hold_about_as_often_as_they_say) {
  EXPECT_GE(held(8, 40, 300), 0.90);
  EXPECT_GE(held(32, 20, 300), 0.90);
  EXPECT_GE(held(32, 3, 300), 0.84) << "shorter than two times in the system for each of four";
  EXPECT_LE(held(8, 40, 300), 0.99) << "or they are too wide";
}

}  // namespace
}  // namespace steelyard::measure
