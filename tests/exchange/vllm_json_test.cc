#include "exchange/vllm_json.h"

#include <limits>
#include <nlohmann/json.hpp>

namespace steelyard::exchange {
namespace {

using measure::ChunkKind;
using measure::RequestLog;

constexpr base::Nanos ms(base::Nanos value) { return value * base::kMillisecond; }

std::vector<RequestLog> two_answers() {
  RequestLog log;
  log.chunks = {{ms(100), ChunkKind::kContent}, {ms(200), ChunkKind::kContent}};
  log.end_at = ms(500);
  log.input_tokens = 20;
  log.output_tokens = 10;
  log.token_source = measure::TokenSource::kUsage;
  return {log, log};
}

nlohmann::json written(const std::vector<RequestLog>& logs) {
  VllmRun run;
  run.endpoint_type = "openai-chat";
  run.model_id = "m\xff";
  run.num_prompts = 2;
  run.request_rate_rps = std::numeric_limits<double>::infinity();
  return nlohmann::json::parse(vllm_json(run, measure::summarise(logs)));
}

TEST(VllmJson, has_every_key_its_readers_take_and_their_units) {
  const nlohmann::json json = written(two_answers());
  for (const std::string metric : {"ttft", "tpot", "itl", "e2el"}) {
    for (const std::string statistic : {"mean", "median", "std", "p50", "p90", "p99"}) {
      const std::string key = statistic + "_" + metric + "_ms";
      ASSERT_TRUE(json.contains(key)) << key;
      EXPECT_TRUE(json[key].is_number()) << key;
    }
  }
  EXPECT_EQ(json["completed"], 2);
  EXPECT_EQ(json["request_rate"], "inf");
  EXPECT_TRUE(json["max_concurrency"].is_null());
  EXPECT_DOUBLE_EQ(json["duration"], 0.5);
  EXPECT_DOUBLE_EQ(json["output_throughput"], 40);
  EXPECT_DOUBLE_EQ(json["total_token_throughput"], 120);
  EXPECT_DOUBLE_EQ(json["mean_ttft_ms"], 100);
  EXPECT_DOUBLE_EQ(json["p99_e2el_ms"], 500);
  EXPECT_EQ(json["steelyard"]["token_source"], "usage");
  EXPECT_TRUE(json["steelyard"]["ttft_ms"]["p99"]["n_too_small"]);
  EXPECT_TRUE(json["steelyard"]["ttft_ms"]["p99"]["high"].is_null());
}

TEST(VllmJson, when_everything_fails_says_so_without_zeros) {
  std::vector<RequestLog> logs = two_answers();
  for (RequestLog& log : logs) {
    log.outcome = measure::Outcome::kRefused;
  }
  const nlohmann::json json = written(logs);
  EXPECT_EQ(json["completed"], 0);
  EXPECT_EQ(json["failed"], 2);
  EXPECT_TRUE(json["p99_ttft_ms"].is_null());
  EXPECT_TRUE(json["output_throughput"].is_null());
  EXPECT_TRUE(json["total_output_tokens"].is_null());
  EXPECT_EQ(json["steelyard"]["failures"]["refused"], 2);
  EXPECT_EQ(json["steelyard"]["connections"]["opened"], 0);
  EXPECT_TRUE(json["steelyard"]["connections"]["connect_ms_p99"].is_null());
}

TEST(VllmJson, connecting_stands_apart_and_of_an_open_connection_is_null) {
  std::vector<RequestLog> logs = two_answers();
  logs.front().connect = ms(30);
  logs.front().tls_handshake = ms(5);
  VllmRun run;
  run.detailed = logs;
  run.proxy = "http://squid:3128";
  run.connection_reuse = "keep";
  run.http_version = "2";
  run.connects.dns = ms(2);
  for (const int each : {10, 30}) {
    run.connects.all.record(ms(each));
    run.connects.tcp.record(ms(each - 5));
    run.connects.tls.record(ms(5));
  }
  const auto json = nlohmann::json::parse(vllm_json(run, measure::summarise(logs)));
  const nlohmann::json expected = {{"proxy", "http://squid:3128"},
                                   {"reuse", "keep"},
                                   {"http_version", "2"},
                                   {"opened", 2},
                                   {"dns_ms", 2.0},
                                   {"tcp_ms_p50", 5.0},
                                   {"tcp_ms_p99", 25.0},
                                   {"tls_ms_p50", 5.0},
                                   {"tls_ms_p99", 5.0},
                                   {"connect_ms_p50", 10.0},
                                   {"connect_ms_p99", 30.0},
                                   {"request_connect_ms", {30.0, nullptr}},
                                   {"request_tls_ms", {5.0, nullptr}}};
  EXPECT_EQ(json["steelyard"]["connections"], expected);
  EXPECT_DOUBLE_EQ(json["mean_ttft_ms"], 100);
}

TEST(VllmJson, lengths_beside_those_asked_for) {
  VllmRun run;
  RequestLog log = two_answers().front();
  log.asked_input_tokens = 20;
  log.asked_output_tokens = 256;
  run.lengths.add(log);
  run.sessions = 3;
  run.sessions_broken = 1;
  const auto json = nlohmann::json::parse(vllm_json(run, measure::summarise(std::span(&log, 1))));
  const auto& lengths = json["steelyard"]["lengths"];
  EXPECT_EQ(lengths["osl_mismatch"], 1);
  EXPECT_EQ(lengths["shorter"], 1);
  EXPECT_EQ(lengths["asked_output"]["mean"], 256);
  EXPECT_EQ(lengths["output"]["max"], 10);
  EXPECT_EQ(json["steelyard"]["sessions"], 3);
  EXPECT_EQ(json["steelyard"]["sessions_broken"], 1);
  EXPECT_EQ(json["steelyard"]["ttft_ms"]["relative_error"], 0);
}

// Three of a hundred: the P99 of those that answered is a number, that of all is never.
TEST(VllmJson, failures_included_beside_failures_left_out) {
  std::vector<RequestLog> logs(100, two_answers().front());
  for (std::size_t i = 0; i < logs.size(); ++i) {
    logs[i].index = static_cast<std::int64_t>(i);
    logs[i].outcome = i % 33 == 1 ? measure::Outcome::kTruncated : measure::Outcome::kCompleted;
  }
  const auto json = written(logs)["steelyard"];
  EXPECT_EQ(json["ttft_ms"]["n"], 97);
  EXPECT_EQ(json["ttft_ms"]["p99"]["value"], 100);
  EXPECT_EQ(json["ttft_with_failures_ms"]["n"], 100);
  EXPECT_EQ(json["ttft_with_failures_ms"]["p90"]["value"], 100);
  EXPECT_FALSE(json["ttft_with_failures_ms"]["p90"]["never"]);
  EXPECT_TRUE(json["ttft_with_failures_ms"]["p99"]["value"].is_null());
  EXPECT_TRUE(json["ttft_with_failures_ms"]["p99"]["never"]);
  EXPECT_TRUE(json["e2e_with_failures_ms"]["p99"]["never"]);
  EXPECT_TRUE(json["ttft_ms"]["n_effective"].is_number());
}

}  // namespace
}  // namespace steelyard::exchange
