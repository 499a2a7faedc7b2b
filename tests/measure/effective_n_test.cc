#include "measure/effective_n.h"

#include <cmath>
#include <numbers>
#include <vector>

#include "base/random.h"
#include "measure/run_figures.h"

namespace steelyard::measure {
namespace {

double standard_normal(base::Random& random) {
  const double radius = std::sqrt(-2 * std::log(1 - random.uniform()));
  return radius * std::cos(2 * std::numbers::pi * random.uniform());
}

// x' = phi x + noise, of variance 1, begun in its own distribution.
std::vector<float> ar1(double phi, std::size_t n, base::Random& random) {
  std::vector<float> series(n);
  double x = standard_normal(random);
  for (float& value : series) {
    value = static_cast<float>(x);
    x = phi * x + std::sqrt(1 - phi * phi) * standard_normal(random);
  }
  return series;
}

// The mean of n samples of AR(1) is worth n (1 - phi) / (1 + phi) independent ones.
TEST(EffectiveN, that_of_an_autoregression_is_known) {
  for (const double phi : {0.0, 0.5, 0.9, -0.5}) {
    double sum = 0;
    constexpr int kRuns = 40;
    for (int run = 0; run < kRuns; ++run) {
      base::Random random(static_cast<std::uint64_t>(100 + run));
      sum += *autocorrelation_time(ar1(phi, 4000, random)) / kRuns;
    }
    // Where neighbours pull apart it stays at 1: more than n is never claimed.
    const double truth = std::max(1.0, (1 + phi) / (1 - phi));
    EXPECT_NEAR(sum, truth, 0.12 * truth) << phi;
  }
}

// Averaged over batches of 25, it is that of the samples still.
TEST(EffectiveN, a_long_series_is_looked_at_in_batches) {
  base::Random random(3);
  EXPECT_NEAR(*autocorrelation_time(ar1(0.8, 50'000, random)), 9, 2);
}

TEST(EffectiveN, of_too_few_nothing_is_said_and_of_equal_ones_nothing_is_lost) {
  EXPECT_FALSE(autocorrelation_time(std::vector<float>(15, 1.0F)));
  EXPECT_EQ(autocorrelation_time(std::vector<float>(16, 1.0F)), 1);
}

RequestLog with_ttft(std::int64_t index, double ttft_ms) {
  RequestLog log;
  log.index = index;
  log.due_at = log.sent_at = index * base::kMillisecond;
  const auto ttft = static_cast<base::Nanos>(ttft_ms * 1e6);
  log.chunks = {{log.sent_at + ttft, ChunkKind::kContent}};
  log.end_at = log.sent_at + ttft;
  log.output_tokens = 1;
  return log;
}

// How many of 300 runs have an interval that holds the true percentile of 200 + 20 x, x normal.
struct Coverage {
  int p50 = 0;
  int p90 = 0;
};
Coverage covered(double phi) {
  Coverage covered;
  const auto within = [](const Percentile& p, double truth) {
    return (!p.low || *p.low <= truth) && (!p.high || truth <= *p.high) ? 1 : 0;
  };
  for (int run = 0; run < 300; ++run) {
    base::Random random(static_cast<std::uint64_t>(1000 + run));
    RunFigures figures;
    const std::vector<float> series = ar1(phi, 1500, random);
    for (std::size_t i = 0; i < series.size(); ++i) {
      figures.add(with_ttft(static_cast<std::int64_t>(i), 200 + 20 * series[i]));
    }
    const Summary summary = figures.summary();
    covered.p50 += within(*summary.ttft_ms.p50, 200);
    covered.p90 += within(*summary.ttft_ms.p90, 200 + 20 * 1.2815515655);
  }
  return covered;
}

TEST(EffectiveN, intervals_of_independent_requests_are_as_sure_as_they_say) {
  // 285 expected; 275 is two and a half deviations less.
  const Coverage of = covered(0);
  EXPECT_GE(of.p50, 275);
  EXPECT_GE(of.p90, 275);
}

// Taken as independent, the interval of the median would hold it in about half of the runs.
TEST(EffectiveN, intervals_of_requests_that_hang_together_are_too) {
  const Coverage of = covered(0.85);
  EXPECT_GE(of.p50, 270);
  EXPECT_GE(of.p90, 270);
}

// 400 in a row bound a P99, but not when they come in forties of one kind.
TEST(EffectiveN, n_is_too_small_by_what_it_is_worth) {
  base::Random random(5);
  RunFigures apart;
  RunFigures together;
  double same = 0;
  for (std::int64_t i = 0; i < 800; ++i) {
    apart.add(with_ttft(i, 100 + 50 * random.uniform()));
    same = i % 40 == 0 ? 50 * random.uniform() : same;
    together.add(with_ttft(i, 100 + same));
  }
  const Distribution alone = apart.summary().ttft_ms;
  EXPECT_GT(*alone.p99->n_effective, 400);
  EXPECT_FALSE(alone.p99->n_too_small());
  const Distribution grouped = together.summary().ttft_ms;
  EXPECT_EQ(grouped.n, 800);
  EXPECT_LT(*grouped.n_effective, 60);
  EXPECT_LT(*grouped.p50->n_effective, 60);
  EXPECT_TRUE(grouped.p99->n_too_small());
}

// In order of sending, whatever the order of ending.
TEST(EffectiveN, the_order_of_ending_does_not_matter) {
  base::Random random(6);
  const std::vector<float> series = ar1(0.9, 1000, random);
  std::vector<std::int64_t> order(series.size());
  for (std::size_t i = 0; i < order.size(); ++i) {
    order[i] = static_cast<std::int64_t>(i);
  }
  RunFigures in_turn;
  RunFigures shuffled;
  for (const std::int64_t i : order) {
    in_turn.add(with_ttft(i, 200 + 20 * series[static_cast<std::size_t>(i)]));
  }
  for (std::size_t i = order.size() - 1; i > 0; --i) {
    std::swap(order[i],
              order[static_cast<std::size_t>(random.integer(0, static_cast<std::int64_t>(i)))]);
  }
  for (const std::int64_t i : order) {
    shuffled.add(with_ttft(i, 200 + 20 * series[static_cast<std::size_t>(i)]));
  }
  EXPECT_EQ(in_turn.summary().ttft_ms.n_effective, shuffled.summary().ttft_ms.n_effective);
}

// Gaps of one stream are alike: a thousand of them are worth about as much as their streams.
TEST(EffectiveN, gaps_are_worth_their_requests) {
  base::Random random(7);
  RunFigures figures;
  for (std::int64_t i = 0; i < 100; ++i) {
    RequestLog log = with_ttft(i, 100);
    const base::Nanos gap = random.integer(10, 30) * base::kMillisecond;
    for (int token = 0; token < 50; ++token) {
      log.chunks.push_back({log.chunks.back().at + gap, ChunkKind::kContent});
    }
    log.end_at = log.chunks.back().at;
    log.output_tokens = 51;
    figures.add(log);
  }
  const Summary summary = figures.summary();
  EXPECT_EQ(summary.itl_ms.n, 5000);
  EXPECT_NEAR(*summary.itl_ms.n_effective, *summary.tpot_ms.n_effective, 1);
  EXPECT_TRUE(summary.itl_ms.p99->n_too_small());
}

}  // namespace
}  // namespace steelyard::measure
