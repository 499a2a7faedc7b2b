#include "study/platform_result.h"

#include "made_up_log.h"
#include "suite_text.h"

namespace steelyard::study {
namespace {

using measure::Outcome;
using measure::RequestLog;
using testing::ElementsAre;
using testing::HasSubstr;

constexpr base::Nanos kMs = base::kMillisecond;

// `per_time` and `per_token` offers under one SLA, in CNY.
Suite suite_of(std::string_view per_time, std::string_view currency = "USD") {
  const Folder folder("result");
  const std::string text = fmt::format(
      R"(name: made up
currency: {}
exchange_rates: {{base: USD, date: "2026-11-30", source: ECB, rates: {{CNY: 7.08, EUR: 0.8}}}}
workload: {{dataset: random, input_tokens: 4, requests: 4, max_concurrency: 1}}
sla: {{terms: [ttft<50ms], target: 75%}}
platforms:
  - {{name: rented, emulate: {{}}, offer: {{price: {}, source: s, date: d}}}}
  - {{name: by-token, emulate: {{}}, offer: {{input: 2 CNY/Mtok, output: 3 CNY/Ktok, source: s, date: d}}}}
)",
      currency, per_time);
  return load_suite(folder.write("suite.yaml", text)).value();
}

struct Block {
  std::vector<RequestLog> logs;
  base::Nanos window;
};
Block measured(std::vector<RequestLog> logs, base::Nanos window = 3600 * base::kSecond) {
  return {std::move(logs), window};
}

Measured of_suite(const Suite& suite, const Block& block) {
  Measured all = measured_of(block.logs, suite.sla);
  all.window = block.window;
  return all;
}

RequestLog quick() { return completed({.ttft = 10 * kMs, .output_tokens = 500}); }
RequestLog slow() { return completed({.ttft = 90 * kMs, .output_tokens = 500}); }

PlatformResult rented(const Block& block, std::string_view price = "1.5 USD/h",
                      std::string_view currency = "USD") {
  const Suite suite = suite_of(price, currency);
  return conclude(suite, suite.platforms[0], of_suite(suite, block));
}
PlatformResult by_token(const Block& block, std::string_view currency = "CNY") {
  const Suite suite = suite_of("1 USD/h", currency);
  return conclude(suite, suite.platforms[1], of_suite(suite, block));
}

TEST(PlatformResult, the_window_is_paid_and_the_good_tokens_are_bought) {
  const PlatformResult result = rented(measured({quick(), quick(), quick(), slow()}));
  ASSERT_TRUE(result.cost);
  EXPECT_EQ(result.cost->total.to_text(), "1.5 USD");
  EXPECT_DOUBLE_EQ(result.cost->per_million_output_tokens.value(), 1.5 / 2000 * 1e6);
  EXPECT_DOUBLE_EQ(result.cost->cptls.value(), 1.5 / 1500 * 1e6);
  EXPECT_LE(result.cost->cptls_low.value(), *result.cost->cptls);
  EXPECT_TRUE(result.feasible) << "75 % are asked for";
  EXPECT_DOUBLE_EQ(result.summary.output_throughput.value(), 2000.0 / 3600);
  EXPECT_DOUBLE_EQ(result.summary.duration_s.value(), 3600);
  // Price per hour x mean E2E / (3600 x throughput x attainment).
  const double mean_s = *result.summary.e2e_ms.mean / 1e3;
  EXPECT_DOUBLE_EQ(result.cost->published_index.value(),
                   1.5 * mean_s / (3600 * (2000.0 / 3600) * 0.75));
}

TEST(PlatformResult, tokens_cost_exactly_what_the_usage_says) {
  std::vector<RequestLog> logs{quick(), quick(), quick()};
  logs.push_back(failed(0, Outcome::kTruncated, "cut"));
  logs.back().input_tokens = 7;
  logs.back().output_tokens = 11;
  const PlatformResult result = by_token(measured(std::move(logs)));
  ASSERT_TRUE(result.cost);
  // 307 in at 2 CNY a million, 1,511 out at 3 CNY a thousand: what failed is billed too.
  EXPECT_EQ(result.cost->total.to_text(), "4.533614 CNY");
  EXPECT_DOUBLE_EQ(result.cost->cptls.value(), 4.533614 / 1500 * 1e6);
  EXPECT_FALSE(result.cost->published_index) << "the formula has a price by time";
}

TEST(PlatformResult, converted_at_the_suite_s_rate_and_exactly) {
  const PlatformResult result = rented(measured({quick(), quick()}), "7.08 CNY/h");
  EXPECT_EQ(result.cost->bill.total.to_text(), "7.08 CNY");
  EXPECT_EQ(result.cost->total.to_text(), "1 USD");
  EXPECT_EQ(rented(measured({quick(), quick()}), "7.08 CNY/h", "EUR").cost->total.to_text(),
            "0.8 EUR");
  // The index is of the ranking's currency too.
  EXPECT_NEAR(*rented(measured({quick(), quick()}), "7.08 CNY/h").cost->published_index,
              *rented(measured({quick(), quick()}), "1 USD/h").cost->published_index, 1e-15);
}

TEST(PlatformResult, free_is_a_price) {
  const PlatformResult result = rented(measured({quick(), quick()}), "0 USD/h");
  EXPECT_TRUE(result.feasible);
  EXPECT_EQ(result.cost->cptls, 0);
}

TEST(PlatformResult, an_amount_beyond_conversion_has_no_cost_and_a_reason) {
  const PlatformResult result = rented(measured({quick(), quick()}), "999999999999 CNY/s");
  EXPECT_FALSE(result.cost);
  EXPECT_FALSE(result.feasible);
  EXPECT_THAT(result.reasons.back().text_en, HasSubstr("cannot be converted to USD"));
}

TEST(PlatformResult, missing_the_sla_is_no_choice) {
  const PlatformResult result = rented(measured({quick(), quick(), slow(), slow()}));
  EXPECT_FALSE(result.feasible);
  EXPECT_EQ(result.reasons.at(0).text_en,
            "ttft<50ms: 2 of 4 due requests met it (50 %), 75 % are asked for");
  EXPECT_TRUE(result.cost->cptls) << "its price stands there for who would live with it";
}

TEST(PlatformResult, a_failure_is_a_miss_and_its_words_are_kept) {
  std::vector<RequestLog> logs{quick(), quick(), failed(0, Outcome::kTimeout, "no end within 1 s"),
                               failed(0, Outcome::kTimeout, "another")};
  const PlatformResult result = rented(measured(std::move(logs)));
  EXPECT_FALSE(result.feasible);
  EXPECT_EQ(result.verdict.attainment.due, 4);
  EXPECT_EQ(result.failure_examples.at(Outcome::kTimeout), "no end within 1 s");
}

TEST(PlatformResult, without_counts_a_price_by_token_is_unknown) {
  std::vector<RequestLog> logs{quick(), quick()};
  logs[1].output_tokens.reset();
  const PlatformResult result = by_token(measured(std::move(logs)));
  EXPECT_FALSE(result.cost);
  EXPECT_FALSE(result.feasible);
  EXPECT_EQ(result.reasons.back().text_en,
            "the server gives no token counts, so a price by token has no cost");
}

TEST(PlatformResult, without_counts_no_cost_a_token_is_known) {
  std::vector<RequestLog> logs{quick(), quick()};
  for (RequestLog& log : logs) {
    log.output_tokens.reset();
  }
  const PlatformResult result = rented(measured(std::move(logs)));
  ASSERT_TRUE(result.cost);
  EXPECT_FALSE(result.cost->cptls);
  EXPECT_FALSE(result.feasible);
  EXPECT_EQ(result.reasons.back().text_en,
            "the server gives no token counts, so no cost a token is known");
  EXPECT_FALSE(result.summary.output_throughput);
}

TEST(PlatformResult, nothing_measured_is_nothing_known) {
  Measured lost;
  lost.gave_up = base::Error{base::ErrorCode::kEnvironment, "http://x", "connection refused", ""};
  const Suite suite = suite_of("1 USD/h");
  const PlatformResult result = conclude(suite, suite.platforms[0], std::move(lost));
  EXPECT_FALSE(result.feasible || result.cost || result.summary.duration_s);
  EXPECT_EQ(result.reasons.size(), 1U);
  EXPECT_EQ(result.reasons[0].text_en, "could not be measured: http://x: connection refused");

  Measured cut;
  cut.interrupted = true;
  EXPECT_EQ(conclude(suite, suite.platforms[0], std::move(cut)).reasons.at(0).text_en,
            "not measured before the interruption");

  // Asked, and never answered: no time has an end, so none is billed.
  const PlatformResult silent = rented(measured({failed(0, Outcome::kConnection, "reset")}, 0));
  EXPECT_FALSE(silent.cost);
  EXPECT_EQ(silent.reasons.at(0).text_en, "no request completed");
  EXPECT_THAT(silent.reasons.at(1).text_en, HasSubstr("no time can be billed"));
}

PlatformResult priced(std::string name, bool feasible, std::optional<double> cptls) {
  PlatformResult result;
  result.name = std::move(name);
  result.feasible = feasible;
  const quantity::Money money = quantity::Money::parse("", "1 USD").value();
  if (cptls) {
    result.cost = CostResult{{money, {}}, money, {}, cptls, {}, {}, {}};
  }
  return result;
}

TEST(PlatformResult, ranked_by_cptls_and_the_infeasible_last) {
  std::vector<PlatformResult> all;
  all.push_back(priced("unknown", false, std::nullopt));
  all.push_back(priced("cheap but late", false, 0.1));
  all.push_back(priced("dear", true, 3));
  all.push_back(priced("free", true, 0));
  all.push_back(priced("late", false, 2));
  all.push_back(priced("middle", true, 2));
  all.push_back(priced("as middle", true, 2));
  rank(all);
  std::vector<std::string> names;
  std::vector<std::int64_t> ranks;
  for (const PlatformResult& result : all) {
    names.push_back(result.name);
    ranks.push_back(result.rank.value_or(-1));
  }
  EXPECT_THAT(names, ElementsAre("free", "middle", "as middle", "dear", "cheap but late", "late",
                                 "unknown"));
  EXPECT_THAT(ranks, ElementsAre(1, 2, 3, 4, -1, -1, -1));
}

}  // namespace
}  // namespace steelyard::study
