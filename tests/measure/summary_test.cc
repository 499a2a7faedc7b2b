#include "measure/summary.h"

#include <numeric>

namespace steelyard::measure {
namespace {

constexpr base::Nanos ms(base::Nanos value) { return value * base::kMillisecond; }

// Sent at `start`, two chunks of five tokens 100 ms apart.
RequestLog answered(base::Nanos start) {
  RequestLog log;
  log.due_at = start;
  log.sent_at = start;
  log.chunks = {{start + ms(100), ChunkKind::kContent}, {start + ms(200), ChunkKind::kContent}};
  log.end_at = start + ms(200);
  log.input_tokens = 20;
  log.output_tokens = 10;
  log.token_source = TokenSource::kUsage;
  return log;
}

Samples of_ms(const std::vector<double>& values) {
  Samples samples;
  for (const double value : values) {
    samples.add(value * 1e6);
  }
  return samples;
}

TEST(Summary, counts_rates_and_latencies) {
  std::vector<RequestLog> logs{answered(0), answered(ms(800))};
  logs.push_back(answered(ms(300)));
  logs.back().outcome = Outcome::kTruncated;
  const Summary summary = summarise(logs);
  EXPECT_EQ(summary.due, 3);
  EXPECT_EQ(summary.completed, 2);
  EXPECT_EQ(summary.failures.at(Outcome::kTruncated), 1);
  EXPECT_DOUBLE_EQ(*summary.duration_s, 1.0);
  EXPECT_DOUBLE_EQ(*summary.request_throughput, 2.0);
  EXPECT_DOUBLE_EQ(*summary.output_throughput, 20.0);
  EXPECT_EQ(summary.input_tokens, 40);
  EXPECT_EQ(summary.ttft_ms.n, 2);
  EXPECT_DOUBLE_EQ(*summary.ttft_ms.mean, 100);
  EXPECT_DOUBLE_EQ(summary.e2e_ms.p50->value, 200);
  EXPECT_NEAR(*summary.tpot_ms.mean, 100.0 / 9, 1e-9);
  EXPECT_EQ(summary.itl_ms.n, 10);
  EXPECT_DOUBLE_EQ(*summary.itl_ms.max, 20);
  EXPECT_DOUBLE_EQ(*summary.icl_ms.max, 100);
}

TEST(Summary, when_everything_fails_nothing_is_zero_that_is_unknown) {
  std::vector<RequestLog> logs(3, answered(0));
  for (RequestLog& log : logs) {
    log.outcome = Outcome::kRefused;
  }
  const Summary summary = summarise(logs);
  EXPECT_EQ(summary.completed, 0);
  EXPECT_FALSE(summary.output_tokens);
  EXPECT_FALSE(summary.output_throughput);
  EXPECT_FALSE(summary.ttft_ms.mean);
  EXPECT_FALSE(summary.ttft_ms.p99);
  EXPECT_FALSE(summarise({}).duration_s);
}

TEST(Summary, names_the_weakest_token_source) {
  std::vector<RequestLog> logs{answered(0), answered(0)};
  EXPECT_EQ(name_of(summarise(logs).token_source), "usage");
  logs[1].token_source = TokenSource::kChunks;
  EXPECT_EQ(name_of(summarise(logs).token_source), "chunks");
}

TEST(Summary, a_body_that_was_not_streamed_adds_no_gaps) {
  std::vector<RequestLog> logs{answered(0)};
  logs[0].streamed = false;
  const Summary summary = summarise(logs);
  EXPECT_EQ(summary.ttft_ms.n, 0);
  EXPECT_EQ(summary.itl_ms.n, 0);
  EXPECT_EQ(summary.e2e_ms.n, 1);
}

TEST(Distribution, deviation_of_large_and_close_values) {
  const Distribution result = distribution_of(of_ms({1e6 + 4, 1e6 + 7, 1e6 + 13, 1e6 + 16}));
  EXPECT_NEAR(*result.std, std::sqrt(30.0), 1e-6);
  EXPECT_FALSE(distribution_of(of_ms({5})).std);
}

TEST(Summary, other_percentiles_where_asked_for) {
  std::vector<double> samples(1000);
  std::iota(samples.begin(), samples.end(), 1);
  const std::vector<double> percents = {95, 99.9};
  const Distribution distribution = distribution_of(of_ms(samples), percents);
  EXPECT_EQ(distribution.others.at(95).value, 950);
  EXPECT_EQ(distribution.others.at(99.9).value, 999);
  EXPECT_TRUE(distribution_of(Samples(), percents).others.empty());
}

}  // namespace
}  // namespace steelyard::measure
