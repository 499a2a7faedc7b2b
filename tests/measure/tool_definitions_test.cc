#include "measure/tool_definitions.h"

#include <cmath>
#include <map>
#include <string>

namespace steelyard::measure {
namespace {

constexpr base::Nanos kMs = base::kMillisecond;

// Sent at 0: the role, five tokens of reasoning, twice five of content, finish, usage, last byte.
RequestLog reasoned() {
  RequestLog log;
  log.chunks = {{50 * kMs, ChunkKind::kEmpty},    {100 * kMs, ChunkKind::kReasoning},
                {200 * kMs, ChunkKind::kContent}, {300 * kMs, ChunkKind::kContent},
                {310 * kMs, ChunkKind::kEmpty},   {320 * kMs, ChunkKind::kNoChoice}};
  log.end_at = 330 * kMs;
  log.output_tokens = 15;
  log.token_source = TokenSource::kUsage;
  return log;
}

struct Expected {
  double ttft;
  double e2e;
  double tpot;  // 0: none
  std::int64_t itl_n;
  double itl_mean;
};

// By hand, from each tool's formula.
const std::map<std::string, Expected, std::less<>> kByHand = {
    {"vllm", {50, 310, 260.0 / 14, 4, 65}},
    {"sglang", {100, 320, 220.0 / 14, 2, 100}},
    {"aiperf", {100, 300, 0, 1, 200.0 / 14}},
    {"guidellm", {100, 330, 20, 14, 200.0 / 14}},
    {"inference-perf", {200, 330, 100.0 / 14, 9, 100.0 / 9}},
    {"genai-bench", {100, 330, 230.0 / 14, 0, 0}},
    {"evalscope", {50, 320, 270.0 / 14, 5, 54}},
    {"llmperf", {200, 330, 0, 1, 150}},
    {"inference-benchmarker", {200, 310, 0, 1, 100.0 / 14}},
    {"genai-perf", {200, 300, 0, 1, 100.0 / 14}},
};

TEST(ToolDefinitions, one_stream_and_every_tool_s_figures) {
  ASSERT_EQ(tool_definitions().size(), kByHand.size());
  for (const ToolDefinition& tool : tool_definitions()) {
    SCOPED_TRACE(tool.name);
    const Expected& by_hand = kByHand.find(tool.name)->second;
    const ToolMetrics metrics = metrics_by(tool, reasoned());
    EXPECT_DOUBLE_EQ(base::to_ms(*metrics.ttft), by_hand.ttft);
    EXPECT_DOUBLE_EQ(base::to_ms(*metrics.e2e), by_hand.e2e);
    EXPECT_NEAR(metrics.tpot_ns.value_or(0) / 1e6, by_hand.tpot, 1e-9);
    ToolFigures figures(tool, {});
    figures.add(reasoned());
    EXPECT_EQ(figures.itl().count(), by_hand.itl_n);
    EXPECT_NEAR(figures.itl().moments().mean / 1e6, by_hand.itl_mean, 1e-9);
    EXPECT_NEAR(*figures.output_throughput(), 15 / by_hand.e2e * 1e3, 1e-6);
  }
}

// Three chunks of five tokens, 100 ms apart: nine figures are called ITL, and four of them differ.
TEST(ToolDefinitions, three_chunks_of_five_tokens_have_several_itls) {
  RequestLog log = reasoned();
  log.chunks = {{100 * kMs, ChunkKind::kContent, 5},
                {200 * kMs, ChunkKind::kContent, 5},
                {300 * kMs, ChunkKind::kContent, 5}};
  log.end_at = 300 * kMs;
  const auto mean_itl = [&](std::string_view name) {
    ToolFigures figures(*find_tool(name), {});
    figures.add(log);
    return figures.itl().moments().mean / 1e6;
  };
  EXPECT_NEAR(mean_itl("vllm"), 100, 1e-9);
  EXPECT_NEAR(mean_itl("aiperf"), 200.0 / 14, 1e-9);
  EXPECT_NEAR(mean_itl("inference-perf"), 200.0 / 14, 1e-9);
  EXPECT_NEAR(mean_itl("llmperf"), 100, 1e-9);
  EXPECT_NEAR(*metrics_by(*find_tool("vllm"), log).tpot_ns / 1e6, 200.0 / 14, 1e-9);
  EXPECT_NEAR(*metrics_by(*find_tool("guidellm"), log).tpot_ns / 1e6, 20, 1e-9);
}

// A long answer weighs as much as it has tokens.
TEST(ToolDefinitions, guidellm_counts_a_request_s_tpot_for_each_token) {
  RequestLog brief = reasoned();
  brief.output_tokens = 5;
  ToolFigures figures(*find_tool("guidellm"), {});
  figures.add(reasoned());
  figures.add(brief);
  EXPECT_EQ(figures.tpot().count(), 20);
  EXPECT_NEAR(figures.tpot().moments().mean / 1e6, (15 * 20.0 + 5 * 60.0) / 20, 1e-9);
  EXPECT_EQ(figures.itl().count(), 14 + 4);
}

TEST(ToolDefinitions, one_token_has_no_time_between_tokens) {
  RequestLog log = reasoned();
  log.chunks = {{100 * kMs, ChunkKind::kContent}};
  log.end_at = 100 * kMs;
  log.output_tokens = 1;
  for (const ToolDefinition& tool : tool_definitions()) {
    SCOPED_TRACE(tool.name);
    const auto tpot = metrics_by(tool, log).tpot_ns;
    // GuideLLM's counts the wait for the first token.
    EXPECT_EQ(tpot.has_value(), tool.name == "guidellm");
  }
}

TEST(ToolDefinitions, genai_bench_drops_a_tpot_below_a_millisecond) {
  RequestLog log = reasoned();
  log.output_tokens = 1000;
  EXPECT_FALSE(metrics_by(*find_tool("genai-bench"), log).tpot_ns);
  EXPECT_TRUE(metrics_by(*find_tool("vllm"), log).tpot_ns);
}

// Reasoning alone until the limit: a whole answer, in which some tools see no first token.
TEST(ToolDefinitions, reasoning_alone_has_no_ttft_for_some) {
  RequestLog log = reasoned();
  log.chunks = {{100 * kMs, ChunkKind::kReasoning}, {200 * kMs, ChunkKind::kReasoning}};
  EXPECT_TRUE(metrics_by(*find_tool("aiperf"), log).ttft);
  EXPECT_FALSE(metrics_by(*find_tool("inference-perf"), log).ttft);
}

TEST(ToolDefinitions, goodput_by_the_second_and_by_the_successes) {
  Limits limits;
  limits.ttft = 150 * kMs;
  RequestLog late = reasoned();
  for (ChunkEvent& chunk : late.chunks) {
    chunk.at += 200 * kMs;
  }
  late.end_at = 530 * kMs;
  RequestLog failed = reasoned();
  failed.outcome = Outcome::kTruncated;
  const auto goodput = [&](std::string_view name) {
    ToolFigures figures(*find_tool(name), limits);
    for (const RequestLog& log : {reasoned(), late, failed}) {
      figures.add(log);
    }
    return figures.goodput();
  };
  EXPECT_NEAR(*goodput("vllm"), 1 / 0.51, 1e-9) << "one in time, to the last choice";
  EXPECT_NEAR(*goodput("inference-perf"), 0, 1e-9) << "its first token is content, at 200 ms";
  limits.ttft = 300 * kMs;
  EXPECT_NEAR(*goodput("inference-perf"), 0.5, 1e-9) << "the failed one is not in it";
  EXPECT_FALSE(goodput("guidellm"));
}

TEST(ToolDefinitions, names_are_known_or_not) {
  EXPECT_EQ(find_tool("vllm")->name, "vllm");
  EXPECT_EQ(find_tool("vLLM"), nullptr);
}

}  // namespace
}  // namespace steelyard::measure
