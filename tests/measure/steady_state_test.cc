#include "measure/steady_state.h"

#include "base/random.h"
#include "measure/run_figures.h"

namespace steelyard::measure {
namespace {

constexpr base::Nanos kMs = base::kMillisecond;

// Sent each 10 ms, `latency_ms` later the whole answer of ten tokens, five in each of two chunks.
RequestLog sent(std::int64_t index, double latency_ms) {
  RequestLog log;
  log.index = index;
  log.due_at = log.sent_at = base::kSecond + index * 10 * kMs;
  const auto latency = static_cast<base::Nanos>(latency_ms * 1e6);
  log.chunks = {{log.sent_at + latency / 2, ChunkKind::kContent},
                {log.sent_at + latency, ChunkKind::kContent}};
  log.end_at = log.sent_at + latency;
  log.output_tokens = 10;
  return log;
}

template <typename Latency>
SteadyState steady_of(std::int64_t n, Latency latency_ms) {
  RunFigures figures;
  for (std::int64_t i = 0; i < n; ++i) {
    figures.add(sent(i, latency_ms(i)));
  }
  return steady_state_of(figures.series());
}

TEST(SteadyState, the_beginning_and_the_drain_are_cut_off) {
  base::Random random(1);
  // The first 200 of 1,000 fall from 500 ms to 100 ms; ten are out at any time after that.
  const SteadyState steady = steady_of(1000, [&](std::int64_t i) {
    const double falling = i < 200 ? 400.0 * static_cast<double>(200 - i) / 200 : 0;
    return 95 + 10 * random.uniform() + falling;
  });
  ASSERT_TRUE(steady.found) << steady.reason;
  EXPECT_GE(steady.before, 150);
  EXPECT_LE(steady.before, 260);
  EXPECT_NEAR(static_cast<double>(steady.after), 10, 1);
  EXPECT_EQ(steady.before + steady.requests + steady.after, 1000);
  EXPECT_NEAR(steady.from_s, static_cast<double>(steady.before) * 0.01, 1e-9);
  EXPECT_NEAR(*steady.output_throughput, 1000, 10) << "ten tokens each 10 ms";
  EXPECT_NEAR(*steady.request_throughput, 100, 1);
  EXPECT_LT(*steady.e2e_ms.max, 125);
  EXPECT_NEAR(*steady.ttft_ms.mean, 50, 1);
  EXPECT_EQ(steady.e2e_ms.n, steady.requests);
}

TEST(SteadyState, a_run_that_was_steady_from_the_start_loses_little) {
  base::Random random(2);
  const SteadyState steady =
      steady_of(1000, [&](std::int64_t) { return 95 + 10 * random.uniform(); });
  ASSERT_TRUE(steady.found);
  EXPECT_LE(steady.before, 100);
}

TEST(SteadyState, what_never_settles_is_not_called_steady) {
  const SteadyState growing =
      steady_of(1000, [](std::int64_t i) { return 100 + static_cast<double>(i); });
  EXPECT_FALSE(growing.found);
  EXPECT_EQ(growing.reason, "latency did not settle within the first half of the run");
}

TEST(SteadyState, too_few_say_so) {
  EXPECT_EQ(steady_of(99, [](std::int64_t) { return 100; }).reason,
            "fewer than 100 requests completed");
  // A second each, a hundred out at once: no hundred are left.
  EXPECT_EQ(steady_of(150, [](std::int64_t) { return 1000; }).reason,
            "fewer than 100 requests are left between the beginning and the drain");
  EXPECT_FALSE(steady_state_of(RequestSeries()).found);
}

TEST(SteadyState, failures_do_not_stand_in_its_latencies) {
  RunFigures figures;
  for (std::int64_t i = 0; i < 600; ++i) {
    RequestLog log = sent(i, 100);
    log.outcome = i % 3 == 0 ? Outcome::kTruncated : Outcome::kCompleted;
    figures.add(log);
  }
  const SteadyState steady = steady_state_of(figures.series());
  ASSERT_TRUE(steady.found) << steady.reason;
  EXPECT_EQ(steady.before + steady.requests + steady.after, 400);
}

}  // namespace
}  // namespace steelyard::measure
