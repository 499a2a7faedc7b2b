#include "measure/request_metrics.h"

#include "measure/attainment.h"

namespace steelyard::measure {
namespace {

constexpr base::Nanos ms(base::Nanos value) { return value * base::kMillisecond; }

RequestLog sent_at_zero(std::vector<ChunkEvent> chunks, std::int64_t tokens) {
  RequestLog log;
  log.chunks = std::move(chunks);
  log.end_at = log.chunks.empty() ? ms(1) : log.chunks.back().at;
  log.output_tokens = tokens;
  log.token_source = TokenSource::kUsage;
  return log;
}

TEST(RequestMetrics, a_role_chunk_does_not_start_ttft) {
  const RequestLog log =
      sent_at_zero({{ms(50), ChunkKind::kEmpty}, {ms(200), ChunkKind::kContent}}, 1);
  EXPECT_EQ(metrics_of(log).ttft, ms(200));
}

TEST(RequestMetrics, reasoning_starts_ttft_and_content_ttfo) {
  const RequestLog log = sent_at_zero({{ms(40), ChunkKind::kReasoning, 1},
                                       {ms(60), ChunkKind::kReasoning, 1},
                                       {ms(90), ChunkKind::kContent, 1}},
                                      3);
  EXPECT_EQ(metrics_of(log).ttft, ms(40));
  EXPECT_EQ(metrics_of(log).ttfo, ms(90));
}

TEST(RequestMetrics, reasoning_alone_has_no_ttfo) {
  const RequestLog log = sent_at_zero({{ms(40), ChunkKind::kReasoning, 1}}, 1);
  EXPECT_EQ(metrics_of(log).ttft, ms(40));
  EXPECT_FALSE(metrics_of(log).ttfo.has_value());
}

// Three chunks of five tokens, 100 ms apart: chunk gaps 100 and 100, TPOT 200/14, ITL 20.
TEST(RequestMetrics, several_tokens_a_chunk) {
  const RequestLog log = sent_at_zero({{ms(100), ChunkKind::kContent},
                                       {ms(200), ChunkKind::kContent},
                                       {ms(300), ChunkKind::kContent},
                                       {ms(300), ChunkKind::kEmpty}},
                                      15);
  EXPECT_THAT(inter_chunk_latencies(log), testing::ElementsAre(ms(100), ms(100)));
  EXPECT_NEAR(*metrics_of(log).tpot_ns, 200e6 / 14, 1);
  std::vector<std::pair<base::Nanos, std::uint32_t>> gaps;
  for_each_gap(log, [&](base::Nanos gap, std::uint32_t tokens) { gaps.emplace_back(gap, tokens); });
  EXPECT_THAT(gaps, testing::ElementsAre(std::pair(ms(100), 5U), std::pair(ms(100), 5U)));
}

TEST(RequestMetrics, tpot_is_absent_for_one_token_and_for_one_chunk) {
  EXPECT_FALSE(metrics_of(sent_at_zero({{ms(9), ChunkKind::kContent}}, 1)).tpot_ns.has_value());
  EXPECT_FALSE(metrics_of(sent_at_zero({{ms(9), ChunkKind::kContent}}, 50)).tpot_ns.has_value());
}

TEST(RequestMetrics, a_body_that_was_not_streamed_has_no_ttft) {
  RequestLog log = sent_at_zero({{ms(80), ChunkKind::kContent}}, 5);
  log.streamed = false;
  EXPECT_FALSE(metrics_of(log).ttft.has_value());
  EXPECT_EQ(metrics_of(log).e2e, ms(80));
}

TEST(RequestMetrics, response_time_counts_from_the_schedule) {
  RequestLog log = sent_at_zero({{ms(500), ChunkKind::kContent}}, 1);
  log.due_at = ms(100);
  log.sent_at = ms(300);
  const RequestMetrics metrics = metrics_of(log);
  EXPECT_EQ(metrics.send_lag, ms(200));
  EXPECT_EQ(metrics.ttft, ms(200));
  EXPECT_EQ(metrics.response_ttft, ms(400));
}

TEST(RequestMetrics, a_truncated_stream_stands_in_no_latency) {
  RequestLog log = sent_at_zero({{ms(80), ChunkKind::kContent}}, 5);
  log.outcome = Outcome::kTruncated;
  EXPECT_FALSE(metrics_of(log).ttft.has_value());
  EXPECT_FALSE(metrics_of(log).e2e.has_value());
}

TEST(Attainment, by_request_and_by_token_differ) {
  std::vector<RequestLog> logs;
  for (int i = 0; i < 90; ++i) {
    logs.push_back(sent_at_zero({{ms(100), ChunkKind::kContent}}, 50));
  }
  for (int i = 0; i < 10; ++i) {
    logs.push_back(sent_at_zero({{ms(900), ChunkKind::kContent}}, 1000));
  }
  Limits limits;
  limits.ttft = ms(500);
  const Attainment attainment = attainment_of(logs, limits);
  EXPECT_DOUBLE_EQ(*attainment.requests(), 0.9);
  EXPECT_NEAR(*attainment.tokens(), 4500.0 / 14500.0, 1e-12);
}

TEST(Attainment, failures_are_missed_and_stay_in_the_denominator) {
  std::vector<RequestLog> logs(4, sent_at_zero({{ms(100), ChunkKind::kContent}}, 10));
  logs[0].outcome = Outcome::kRefused;
  const Attainment attainment = attainment_of(logs, Limits{});
  EXPECT_DOUBLE_EQ(*attainment.requests(), 0.75);
  EXPECT_EQ(attainment.output_tokens, 30);
  EXPECT_FALSE(attainment_of({}, Limits{}).requests().has_value());
}

TEST(Attainment, a_one_token_answer_cannot_break_tpot_but_must_meet_ttft) {
  const RequestLog log = sent_at_zero({{ms(600), ChunkKind::kContent}}, 1);
  Limits limits;
  limits.tpot_ns = 50e6;
  EXPECT_TRUE(meets(log, limits));
  limits.ttft = ms(600);
  EXPECT_FALSE(meets(log, limits)) << "a limit is met strictly below";
}

}  // namespace
}  // namespace steelyard::measure
