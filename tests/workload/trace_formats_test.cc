// Small fixtures of every format, in our own words; the public files themselves where they lie.
#include <array>

#include "workload/dataset.h"
#include "workload/trace.h"

namespace steelyard::workload {
namespace {

Trace read(std::string_view content, const TraceOptions& options = {}) {
  auto trace = parse_trace("t", content, options);
  EXPECT_TRUE(trace) << base::to_line(trace.error());
  return trace.value_or(Trace{});
}

std::string refusal(std::string_view content, const TraceOptions& options = {}) {
  const auto trace = parse_trace("t", content, options);
  return trace ? "accepted" : base::to_line(trace.error());
}

constexpr std::string_view kAzure =
    "TIMESTAMP,ContextTokens,GeneratedTokens\r\n"
    "2024-02-28 23:59:59.9000000,100,10\r\n"
    "2024-02-29 00:00:00.0000001,200,0\r\n"
    "2024-03-01 00:00:01,300,30";  // no end of line, as published

TEST(TraceFormats, azure_by_date_with_tenths_of_microseconds) {
  const Trace trace = read(kAzure);
  EXPECT_EQ(trace.format, TraceFormat::kAzure);
  ASSERT_EQ(trace.rows.size(), 2U);
  EXPECT_EQ(trace.dropped, 1);
  EXPECT_EQ(trace.rows[0].due, 0);
  EXPECT_EQ(trace.rows[1].due, 86'401 * base::kSecond + 100 * base::kMillisecond);
  EXPECT_EQ(trace.rows[1].input_tokens, 300);
  const Trace zone = read(
      "TIMESTAMP,NumImages,ContextTokens,GeneratedTokens\n2025-01-01 00:00:00.5+00:00,2,7,8\n"
      "2025-01-01T00:00:02Z,0,7,8\n");
  EXPECT_EQ(zone.rows[1].due, 1'500 * base::kMillisecond);
}

TEST(TraceFormats, burstgpt_in_both_layouts_without_what_failed) {
  const Trace first = read(
      "Timestamp,Model,Request tokens,Response tokens,Total tokens,Log Type\n"
      "5,ChatGPT,472,18,490,Conversation log\n45,ChatGPT,1087,0,1087,Conversation log\n"
      "118.5,GPT-4,417,276,693,API log\n");
  EXPECT_EQ(first.format, TraceFormat::kBurstGpt);
  EXPECT_EQ(first.dropped, 1);
  ASSERT_EQ(first.rows.size(), 2U);
  EXPECT_EQ(first.rows[1].due, 113'500 * base::kMillisecond);
  const Trace third = read(
      "Timestamp,Session ID,Elapsed time,Model,Request tokens,Response tokens,Total tokens,Log "
      "Type\n7,,1.5,ChatGPT,10,20,30,API log\n");
  EXPECT_EQ(third.rows.front().output_tokens, 20);
}

TEST(TraceFormats, vidur_with_and_without_arrivals_and_splitwise) {
  const Trace timed = read("arrived_at,num_prefill_tokens,num_decode_tokens\n0.0,4,1\n0.25,5,2\n");
  EXPECT_EQ(timed.format, TraceFormat::kVidur);
  EXPECT_EQ(timed.rows[1].due, 250 * base::kMillisecond);
  const Trace lengths =
      read("num_prefill_tokens,num_decode_tokens,num_total_tokens,pd_ratio\n37,5,42,7.4\n");
  EXPECT_FALSE(lengths.has_arrivals);
  EXPECT_EQ(lengths.rows.front().input_tokens, 37);
  const Trace splitwise = read(
      "request_id,request_type,application_id,arrival_timestamp,batch_size,prompt_size,token_size\n"
      "0,2,0,1,1,4096,32\n1,2,0,3,1,2048,8\n");
  EXPECT_EQ(splitwise.format, TraceFormat::kSplitwise);
  EXPECT_EQ(splitwise.rows[1].due, 2 * base::kSecond);
  EXPECT_EQ(splitwise.rows[0].input_tokens, 4'096);
}

TEST(TraceFormats, rows_out_of_order_are_put_in_order) {
  const Trace trace =
      read("arrived_at,num_prefill_tokens,num_decode_tokens\n9,1,1\n2,2,2\n4,3,3\n");
  EXPECT_EQ(trace.rows[0].input_tokens, 2);
  EXPECT_EQ(trace.rows[1].due, 2 * base::kSecond);
  EXPECT_EQ(trace.rows[2].due, 7 * base::kSecond);
}

constexpr std::string_view kMooncake =
    R"({"timestamp": 0, "input_length": 1030, "output_length": 5, "hash_ids": [7, 8, 9]})"
    "\n"
    R"({"timestamp": 3000, "input_length": 1500, "output_length": 6, "hash_ids": [7, 8, 10]})"
    "\n"
    R"({"timestamp": 3000, "input_length": 600, "output_length": 7, "hash_ids": [11, 8]})"
    "\n";

TEST(TraceFormats, mooncake_in_milliseconds_and_blocks_of_512) {
  const Trace trace = read(kMooncake);
  EXPECT_EQ(trace.format, TraceFormat::kMooncake);
  EXPECT_EQ(trace.block_tokens, 512);
  EXPECT_EQ(trace.rows[1].due, 3 * base::kSecond);
  EXPECT_THAT(trace.ids_of(trace.rows[1]), testing::ElementsAre(7, 8, 10));
}

TEST(TraceFormats, timed_traces_in_the_units_that_the_flags_say) {
  constexpr std::string_view kRow =
      R"({"timestamp": 1.5, "input_length": 20, "output_length": 5, "hash_ids": [1, 2]})"
      "\n"
      R"({"timestamp": 2.0, "input_length": 20, "output_length": 5, "hash_ids": [1, 2]})";
  const Trace seconds = read(kRow);
  EXPECT_EQ(seconds.format, TraceFormat::kTimedTrace);
  EXPECT_EQ(seconds.rows[1].due, 500 * base::kMillisecond);
  TraceOptions told;
  told.format = TraceFormat::kTimedTrace;
  told.block_tokens = 10;
  told.unit_s = 1e-3;
  EXPECT_EQ(read(kRow, told).rows[1].due, base::kMillisecond / 2);
  told.block_tokens = 512;
  EXPECT_THAT(refusal(kRow, told), testing::HasSubstr("2 hash_ids for 20 tokens in blocks of 512"));
}

TEST(TraceFormats, servegen_has_lengths_alone) {
  const Trace trace =
      read(R"({"request_id": 0, "type": "text", "input_length": 61, "output_length": 2370})");
  EXPECT_EQ(trace.format, TraceFormat::kServeGen);
  EXPECT_FALSE(trace.has_arrivals);
}

TEST(TraceFormats, a_window_counts_from_its_start) {
  TraceOptions window;
  window.start = 3 * base::kSecond;
  window.duration = base::kSecond;
  const Trace trace = read(kMooncake, window);
  ASSERT_EQ(trace.rows.size(), 2U);
  EXPECT_EQ(trace.rows.front().due, 0);
  window.start = 60 * base::kSecond;
  EXPECT_THAT(refusal(kMooncake, window),
              testing::HasSubstr("no request of t came from 1min on for 1s"));
  EXPECT_THAT(refusal("num_prefill_tokens,num_decode_tokens\n1,1\n", window),
              testing::HasSubstr("lengths alone"));
}

TEST(TraceFormats, slips_are_told_with_their_line) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 7> kSlips = {{
      {"TIMESTAMP,ContextTokens,GeneratedTokens\n2024-02-30 00:00:00,1,1\n",
       "t:2: TIMESTAMP \"2024-02-30 00:00:00\""},
      {"TIMESTAMP,ContextTokens,GeneratedTokens\n2024-02-03 00:00:00,1\n", "t:2: 2 columns"},
      {"arrived_at,num_prefill_tokens,num_decode_tokens\n0,-1,1\n",
       "t:2: num_prefill_tokens \"-1\""},
      {"{\"input_length\": 5}", "t:1: no output_length"},
      {"{\"timestamp\": 1, \"input_length\": 5, \"output_length\": 1, \"hash_ids\": [1,2,3,4]}",
       "neither blocks of 512 nor of 16"},
      {"{\"timestamp\": -1, \"input_length\": 5, \"output_length\": 1}", "t:1: no timestamp"},
      {"a,b,c\n", "t:1: not the first line of a trace that is known"},
  }};
  for (const auto& [content, what] : kSlips) {
    EXPECT_THAT(refusal(content), testing::HasSubstr(what));
  }
  TraceOptions told;
  told.format = TraceFormat::kAzure;
  EXPECT_THAT(refusal(kMooncake, told), testing::HasSubstr("not the header of a trace of azure"));
}

}  // namespace
}  // namespace steelyard::workload
