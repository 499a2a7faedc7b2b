#include "measure/run_figures.h"

#include <vector>

#include "base/random.h"

namespace steelyard::measure {
namespace {

RequestLog made_up(base::Random& random, std::int64_t index) {
  RequestLog log;
  log.index = index;
  log.due_at = index * 10 * base::kMillisecond;
  log.sent_at = log.due_at + random.integer(0, base::kMillisecond);
  const std::int64_t chunks = random.integer(1, 12);
  base::Nanos at = log.sent_at + random.integer(1, 300) * base::kMillisecond;
  for (std::int64_t i = 0; i < chunks; ++i) {
    log.chunks.push_back({at, ChunkKind::kContent, 0});
    at += random.integer(1, 40) * base::kMillisecond;
  }
  log.end_at = log.chunks.back().at;
  log.input_tokens = 20;
  log.output_tokens = 3 * chunks;
  log.token_source = TokenSource::kUsage;
  log.streamed = random.uniform() < 0.9;
  log.outcome = random.uniform() < 0.1 ? Outcome::kTruncated : Outcome::kCompleted;
  return log;
}

void expect_same(const Distribution& one, const Distribution& other) {
  ASSERT_EQ(one.n, other.n);
  EXPECT_NEAR(*one.mean, *other.mean, 1e-9 * *other.mean);
  EXPECT_NEAR(*one.std, *other.std, 1e-9 * *other.std);
  EXPECT_EQ(one.min, other.min);
  EXPECT_EQ(one.max, other.max);
  EXPECT_EQ(one.p50->value, other.p50->value);
  EXPECT_EQ(one.p99->value, other.p99->value);
}

TEST(RunFigures, merged_from_parts_is_as_added_to_one) {
  base::Random random(7);
  std::vector<RunFigures> parts(3);
  RunFigures all;
  for (std::int64_t i = 0; i < 2000; ++i) {
    const RequestLog log = made_up(random, i);
    parts[static_cast<std::size_t>(random.integer(0, 2))].add(log);
    all.add(log);
  }
  RunFigures merged;
  for (const RunFigures& part : parts) {
    merged.merge(part);
  }
  merged.merge(RunFigures());
  const Summary one = merged.summary();
  const Summary other = all.summary();
  EXPECT_EQ(one.due, 2000);
  EXPECT_EQ(one.completed, other.completed);
  EXPECT_EQ(one.failures, other.failures);
  EXPECT_EQ(one.output_tokens, other.output_tokens);
  EXPECT_EQ(one.duration_s, other.duration_s);
  EXPECT_EQ(one.token_source, TokenSource::kUsage);
  for (const auto metric :
       {&Summary::ttft_ms, &Summary::ttfo_ms, &Summary::tpot_ms, &Summary::itl_ms, &Summary::icl_ms,
        &Summary::e2e_ms, &Summary::response_ttft_ms, &Summary::response_e2e_ms,
        &Summary::send_lag_ms}) {
    expect_same(one.*metric, other.*metric);
  }
}

TEST(RunFigures, says_when_percentiles_are_of_a_histogram) {
  base::Random random(8);
  RunFigures figures;
  for (std::int64_t i = 0; i < 3000; ++i) {
    figures.add(made_up(random, i));
  }
  const Summary summary = figures.summary();
  EXPECT_EQ(summary.ttft_ms.relative_error, 0);
  EXPECT_GT(summary.itl_ms.n, static_cast<std::int64_t>(Samples::kMostExact));
  EXPECT_EQ(summary.itl_ms.relative_error, 0.0005);
}

}  // namespace
}  // namespace steelyard::measure
