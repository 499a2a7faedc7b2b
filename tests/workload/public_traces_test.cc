// The public traces themselves, where STEELYARD_SHARED names the folder that has them. The figures
// were counted by other programs (awk and Python over the files, 3 December 2026) or are the answer
// key that Vidur published.
#include <cstdlib>
#include <filesystem>

#include "workload/trace.h"

namespace steelyard::workload {
namespace {

std::string folder() {
  const char* const named = std::getenv("STEELYARD_SHARED");
  return named == nullptr ? "" : std::string(named) + "/data/traces";
}

struct Sums {
  std::int64_t rows = 0;
  std::int64_t input = 0;
  std::int64_t output = 0;
  base::Nanos last = 0;
};

Sums sums_of(const Trace& trace) {
  Sums sums;
  for (const TraceRow& row : trace.rows) {
    ++sums.rows;
    sums.input += row.input_tokens;
    sums.output += row.output_tokens;
    sums.last = row.due;
  }
  return sums;
}

class PublicTraces : public testing::Test {
 protected:
  void SetUp() override {
    if (folder().empty()) {
      GTEST_SKIP() << "STEELYARD_SHARED names no folder with the public traces";
    }
  }
  static Trace load(const std::string& file, TraceFormat format) {
    const std::string path = folder() + "/" + file;
    if (!std::filesystem::exists(path)) {
      return {};
    }
    auto trace = load_trace(path);
    EXPECT_TRUE(trace) << base::to_line(trace.error());
    EXPECT_EQ(trace->format, format);
    return trace.value_or(Trace{});
  }
};

TEST_F(PublicTraces, azure_is_to_the_microsecond_what_vidur_made_of_it) {
  const Trace azure = load("azure2023/AzureLLMInferenceTrace_conv.csv", TraceFormat::kAzure);
  const Trace vidur = load("vidur/splitwise_conv.csv", TraceFormat::kVidur);
  ASSERT_EQ(azure.rows.size(), 19366U);
  ASSERT_EQ(vidur.rows.size(), azure.rows.size());
  for (std::size_t i = 0; i < azure.rows.size(); ++i) {
    ASSERT_NEAR(static_cast<double>(azure.rows[i].due), static_cast<double>(vidur.rows[i].due),
                1'000)
        << i;
    ASSERT_EQ(azure.rows[i].input_tokens, vidur.rows[i].input_tokens) << i;
    ASSERT_EQ(azure.rows[i].output_tokens, vidur.rows[i].output_tokens) << i;
  }
  EXPECT_EQ(sums_of(azure).input, 22361870);
  EXPECT_EQ(sums_of(azure).output, 4088665);
}

TEST_F(PublicTraces, mooncake_conversations_are_read_whole_with_their_blocks) {
  const Trace trace = load("mooncake/conversation_trace.jsonl", TraceFormat::kMooncake);
  const Sums sums = sums_of(trace);
  EXPECT_EQ(sums.rows, 12031);
  EXPECT_EQ(sums.input, 144793823);
  EXPECT_EQ(sums.output, 4122048);
  EXPECT_EQ(sums.last, 3536999 * base::kMillisecond);
  EXPECT_EQ(trace.hash_ids.size(), 288500U);
}

TEST_F(PublicTraces, the_smaller_ones_are_known_by_their_first_line) {
  EXPECT_EQ(sums_of(load("burstgpt/BurstGPT_1.first3.csv", TraceFormat::kBurstGpt)).output, 524);
  EXPECT_EQ(sums_of(load("splitwise/test_trace.csv", TraceFormat::kSplitwise)).input, 8'192);
  EXPECT_EQ(sums_of(load("servegen/trace_d.head165.jsonl", TraceFormat::kServeGen)).rows, 165);
  const Trace lengths =
      load("vidur/arxiv_summarization_stats_llama2_tokenizer_filtered_v2.csv", TraceFormat::kVidur);
  EXPECT_EQ(lengths.rows.size(), 28'257U);
  EXPECT_FALSE(lengths.has_arrivals);
}

}  // namespace
}  // namespace steelyard::workload
