#include <cmath>
#include <limits>
#include <set>

#include "workload/arrivals.h"
#include "workload/dataset.h"
#include "workload/lengths.h"
#include "workload/limits.h"
#include "workload/prompts.h"
#include "workload/sharegpt.h"
#include "workload/trace.h"

namespace steelyard::workload {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// Mean and squared coefficient of variation of 20,000 gaps.
std::pair<double, double> gap_moments(ArrivalOptions options) {
  Arrivals arrivals = *Arrivals::create(options, base::Random(17));
  constexpr int kGaps = 20000;
  double before = 0;
  double sum = 0;
  double squares = 0;
  for (int i = 0; i < kGaps; ++i) {
    const double at = base::to_seconds(*arrivals.next());
    sum += at - before;
    squares += (at - before) * (at - before);
    before = at;
  }
  const double mean = sum / kGaps;
  return {mean, squares / kGaps / (mean * mean) - 1};
}

TEST(Arrivals, poisson_gaps_have_the_rates_mean_and_a_variation_of_one) {
  const auto [mean, variation] = gap_moments({.rate_rps = 50, .burstiness = 1});
  EXPECT_NEAR(mean, 0.02, 0.0005);
  EXPECT_NEAR(variation, 1, 0.06);
}

TEST(Arrivals, burstiness_is_the_gamma_shape) {
  const auto [mean, variation] = gap_moments({.rate_rps = 50, .burstiness = 4});
  EXPECT_NEAR(mean, 0.02, 0.0005);
  EXPECT_NEAR(variation, 0.25, 0.02);
  EXPECT_GT(gap_moments({.rate_rps = 50, .burstiness = 0.5}).second, 1.7);
}

TEST(Arrivals, the_count_of_a_poisson_stream_is_not_forced) {
  std::set<base::Nanos> ends;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    Arrivals arrivals = *Arrivals::create({.rate_rps = 10, .burstiness = 1}, base::Random(seed));
    base::Nanos last = 0;
    for (int i = 0; i < 100; ++i) {
      last = *arrivals.next();
    }
    ends.insert(last / base::kMillisecond);
  }
  EXPECT_GT(ends.size(), 15U) << "rescaled arrivals would all end at 10 s";
}

TEST(Arrivals, constant_and_unbounded) {
  Arrivals constant = *Arrivals::create({.rate_rps = 4, .burstiness = kInfinity}, base::Random(1));
  EXPECT_EQ(constant.next(), 0);
  EXPECT_EQ(constant.next(), 250 * base::kMillisecond);
  Arrivals at_once = *Arrivals::create({}, base::Random(1));
  EXPECT_EQ(at_once.next(), 0);
  EXPECT_EQ(at_once.next(), 0);
}

TEST(Arrivals, refuses_what_is_no_rate) {
  for (const double rate : {0.0, -1.0, std::nan(""), -kInfinity, 1e-10, 1e10}) {
    const auto refused = Arrivals::create({.rate_rps = rate, .burstiness = 1}, base::Random(1));
    ASSERT_FALSE(refused) << rate;
    EXPECT_THAT(base::to_line(refused.error()),
                testing::HasSubstr("from 0.000001 to 1000000000, or inf"));
  }
  const auto refused = Arrivals::create({.rate_rps = 1, .burstiness = 0}, base::Random(1));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().where, "--burstiness");
}

TEST(Arrivals, due_times_never_descend_and_stay_within_the_clock) {
  for (const double rate : {kSlowestRps, 1.0, kFastestRps, kInfinity}) {
    for (const double burstiness : {1e-3, 1.0, 100.0, kInfinity}) {
      for (std::uint64_t seed = 0; seed < 5; ++seed) {
        Arrivals arrivals = *Arrivals::create({rate, burstiness}, base::Random(seed));
        base::Nanos before = 0;
        for (int i = 0; i < 20'000; ++i) {  // at the slowest rate 634 years
          const base::Nanos due = *arrivals.next();
          ASSERT_GE(due, before) << rate << ' ' << burstiness << ' ' << seed << ' ' << i;
          ASSERT_LE(due, kLatestDue);
          before = due;
        }
      }
    }
  }
}

std::string refusal(const DatasetOptions& options) {
  const auto requests = build_requests(options, {});
  return requests ? "accepted" : base::to_line(requests.error());
}

TEST(Dataset, what_does_not_fit_in_memory_is_refused_before_it_is_made) {
  DatasetOptions few;
  few.num_prompts = 2;
  few.random_input_len = 8;
  EXPECT_EQ(refusal(few), "accepted");
  DatasetOptions many = few;
  many.num_prompts = kMostRequests + 1;
  EXPECT_THAT(refusal(many), testing::HasSubstr("--num-prompts: 10000001 requests"));
  DatasetOptions longer = few;
  longer.random_input_len = kMostTokens;
  longer.num_prompts = kMostInputTokens / kMostTokens + 1;
  EXPECT_THAT(refusal(longer), testing::HasSubstr("at most 500000000 input tokens in all"));
  longer.num_prompts = 2;
  longer.random_input_len = std::numeric_limits<std::int64_t>::max();
  EXPECT_THAT(refusal(longer), testing::HasSubstr("--random-input-len"));
  DatasetOptions output = few;
  output.random_output_len = kMostTokens + 1;
  EXPECT_THAT(refusal(output), testing::HasSubstr("--random-output-len"));
}

TEST(Dataset, warm_ups_are_bounded_by_count_and_by_length) {
  const std::vector<Request> measured = {{"", 100'000, 1, 0}};
  EXPECT_TRUE(check_warmups(measured, 0));
  EXPECT_TRUE(check_warmups(measured, 5'000));
  EXPECT_FALSE(check_warmups(measured, 5'001));
  EXPECT_FALSE(check_warmups({}, -1));
  EXPECT_FALSE(check_warmups({}, kMostWarmups + 1));
}

TEST(Lengths, the_two_senses_of_the_range_ratio) {
  const LengthRange vllm = *length_range(1000, 0.2, RangeStyle::kVllm);
  EXPECT_EQ(vllm.low, 800);
  EXPECT_EQ(vllm.high, 1200);
  const LengthRange sglang = *length_range(1000, 0.2, RangeStyle::kSglang);
  EXPECT_EQ(sglang.low, 200);
  EXPECT_EQ(sglang.high, 1000);
  EXPECT_FALSE(length_range(1000, 1, RangeStyle::kVllm));
  EXPECT_FALSE(length_range(1000, 0, RangeStyle::kSglang));
  EXPECT_FALSE(length_range(0, 0, RangeStyle::kVllm));
}

TEST(Prompts, are_about_as_long_as_asked_and_repeat_with_the_seed) {
  const Prompts prompts(7, PromptPurpose::kMeasured);
  const std::string text = prompts.make(3, 40);
  EXPECT_EQ(std::count(text.begin(), text.end(), ' '), 39);
  EXPECT_EQ(text, Prompts(7, PromptPurpose::kMeasured).make(3, 40));
  EXPECT_NE(text, Prompts(8, PromptPurpose::kMeasured).make(3, 40));
}

std::string first_words(const std::string& text, int words) {
  std::size_t end = 0;
  for (int i = 0; i < words; ++i) {
    end = text.find(' ', end + 1);
  }
  return text.substr(0, end);
}

TEST(Prompts, no_two_share_a_beginning_and_warm_up_shares_none) {
  std::set<std::string> beginnings;
  for (const PromptPurpose purpose : {PromptPurpose::kMeasured, PromptPurpose::kWarmup}) {
    const Prompts prompts(7, purpose);
    for (std::uint64_t index = 0; index < 3000; ++index) {
      beginnings.insert(first_words(prompts.make(index, 8), 4));
    }
  }
  EXPECT_EQ(beginnings.size(), 6000U);
}

TEST(Trace, reads_rows_and_remarks) {
  const auto trace = parse_trace("t.csv",
                                 "# source: somewhere\r\narrival_s,input_tokens,output_tokens\r\n"
                                 "0,374,44\r\n0.5,396,109\r\n\r\n");
  ASSERT_TRUE(trace) << base::to_line(trace.error());
  ASSERT_EQ(trace->rows.size(), 2U);
  EXPECT_EQ(trace->rows[1].due, 500 * base::kMillisecond);
  EXPECT_EQ(trace->rows[1].output_tokens, 109);
}

// What docs/examples promises of itself: a load that a small engine on two cores can serve.
TEST(Trace, the_example_from_azure_is_read_whole_and_is_small) {
  const auto rows =
      load_trace(STEELYARD_SOURCE_DIR "/docs/examples/azure-conv-2023.csv").value().rows;
  ASSERT_EQ(rows.size(), 300U);
  EXPECT_EQ(rows.front().due, 0);
  std::int64_t output_tokens = 0;
  for (const TraceRow& row : rows) {
    EXPECT_LE(row.input_tokens, 400);
    EXPECT_LE(row.output_tokens, 80);
    output_tokens += row.output_tokens;
  }
  EXPECT_EQ(output_tokens, 10'128);
}

TEST(ShareGpt, nesting_without_end_is_bad_input) {
  const std::string nested = std::string(100'000, '[') + std::string(100'000, ']');
  const base::Error deep = parse_sharegpt("chats.json", nested).error();
  EXPECT_EQ(deep.code, base::ErrorCode::kBadInput);
  EXPECT_EQ(deep.where, "chats.json");
}

TEST(Trace, names_the_line_of_a_mistake) {
  const std::string header = "arrival_s,input_tokens,output_tokens\n";
  const auto where = [&](const std::string& rows) {
    const auto read = parse_trace("t.csv", header + rows);
    return read ? "accepted" : read.error().where;
  };
  EXPECT_EQ(where("0,1,1\n1,0,1\n"), "t.csv:3");
  EXPECT_EQ(where("5,1,1\n4,1,1\n"), "t.csv:3");
  EXPECT_EQ(where("0,1\n"), "t.csv:2");
  EXPECT_EQ(where("nan,1,1\n"), "t.csv:2");
  EXPECT_EQ(where("-1,1,1\n"), "t.csv:2");
  EXPECT_EQ(where("1e300,1,1\n"), "t.csv:2");
  EXPECT_EQ(where("0,1,2.5\n"), "t.csv:2");
  EXPECT_EQ(where(""), "t.csv");
  EXPECT_FALSE(parse_trace("t.csv", "time,in,out\n0,1,1\n"));
  EXPECT_FALSE(load_trace("/nowhere/t.csv"));
}

}  // namespace
}  // namespace steelyard::workload
