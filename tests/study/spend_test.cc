#include "study/spend.h"

namespace steelyard::study {
namespace {

using base::kSecond;

quantity::Money money(std::string_view text) { return quantity::Money::parse("", text).value(); }
quantity::Price price(std::string_view text) { return quantity::parse_price("", text).value(); }

price::Offer by_time(std::string_view text) { return {price::PerTime{price(text)}, "", "", ""}; }
price::Offer by_token(std::string_view input, std::string_view output) {
  return {price::PerToken{price(input), price(output), {}, {}}, "", "", ""};
}

measure::RequestLog ended(std::int64_t index, std::int64_t input, std::int64_t output) {
  measure::RequestLog log;
  log.index = index;
  log.http_status = 200;
  log.input_tokens = input;
  log.output_tokens = output;
  return log;
}

TEST(Spend, a_price_by_time_ends_it_when_it_is_used_up) {
  Spend spend({by_time("1.2 USD/h"), money("0.01 USD"), {}});
  spend.begin(5 * kSecond);
  EXPECT_NEAR(static_cast<double>(spend.deadline().value()), 35e9, 2);  // 1e-12 USD are 3 ns
  EXPECT_TRUE(spend.money_ends_first());
  EXPECT_EQ(spend.spent(20 * kSecond)->to_text(), "0.005 USD");
  EXPECT_TRUE(spend.hold(0, 1'000'000, 1'000'000));
}

TEST(Spend, what_comes_first_ends_it) {
  Spend spend({by_time("1.2 USD/h"), money("0.01 USD"), 20 * kSecond});
  EXPECT_EQ(spend.deadline(), 20 * kSecond);
  EXPECT_FALSE(spend.money_ends_first());
  EXPECT_FALSE(Spend({}).deadline());
  EXPECT_FALSE(Spend({}).spent(0));
  EXPECT_FALSE(Spend({by_time("0 USD/h"), money("1 USD"), {}}).deadline());
}

// At first an input token may be two: 100 + 50 tokens may cost 200 + 50 of them.
TEST(Spend, a_price_by_token_refuses_what_might_pass_the_bound) {
  Spend spend({by_token("1 USD/Ktok", "1 USD/Ktok"), money("0.5 USD"), {}});
  EXPECT_TRUE(spend.hold(0, 100, 50));
  EXPECT_TRUE(spend.hold(1, 100, 50));
  EXPECT_FALSE(spend.refused());
  EXPECT_FALSE(spend.hold(2, 100, 50));
  EXPECT_TRUE(spend.refused());
  EXPECT_EQ(spend.spent(0)->to_text(), "0.5 USD");
}

TEST(Spend, usage_takes_the_place_of_what_was_held) {
  Spend spend({by_token("1 USD/Ktok", "2 USD/Ktok"), money("1 USD"), {}});
  EXPECT_TRUE(spend.hold(0, 100, 100));
  EXPECT_EQ(spend.spent(0)->to_text(), "0.4 USD");
  spend.ended(ended(0, 110, 20));
  EXPECT_EQ(spend.spent(0)->to_text(), "0.15 USD");
  EXPECT_TRUE(spend.hold(1, 100, 100));
  EXPECT_EQ(spend.spent(0)->to_text(), "0.46 USD");  // 1.1 tokens for a planned one
}

TEST(Spend, what_was_sent_and_never_ended_counts_in_full_and_what_was_not_sent_does_not) {
  Spend spend({by_token("1 USD/Ktok", "1 USD/Ktok"), money("1 USD"), {}});
  EXPECT_TRUE(spend.hold(0, 100, 10));
  EXPECT_TRUE(spend.hold(1, 100, 10));
  spend.step_over(1);
  EXPECT_EQ(spend.spent(0)->to_text(), "0.11 USD");
}

TEST(Spend, a_refusal_costs_nothing_and_a_timeout_may_cost_all) {
  Spend spend({by_token("1 USD/Ktok", "1 USD/Ktok"), {}, {}});
  for (std::int64_t index = 0; index < 2; ++index) {
    EXPECT_TRUE(spend.hold(index, 100, 10));
  }
  measure::RequestLog refused;
  refused.http_status = 503;
  spend.ended(refused);
  measure::RequestLog timed_out;
  timed_out.index = 1;
  timed_out.outcome = measure::Outcome::kTimeout;
  spend.ended(timed_out);
  EXPECT_EQ(spend.spent(0)->to_text(), "0.11 USD");
}

TEST(Spend, a_source_ends_where_the_money_does) {
  Spend spend({by_token("1 USD/Ktok", "1 USD/Ktok"), money("0.5 USD"), {}});
  const auto source = within(
      std::make_unique<workload::ListSource>(std::vector<workload::Request>(10, {"a", 50, 100, 0})),
      spend);
  int taken = 0;
  while (source->next_due()) {
    EXPECT_EQ(source->next().prompt, "a");
    ++taken;
  }
  EXPECT_EQ(taken, 2);
  EXPECT_TRUE(source->over());
  EXPECT_EQ(source->planned(), 10);
}

TEST(Spend, a_bound_needs_a_price_in_its_own_currency) {
  EXPECT_EQ(base::to_line(check("--max-spend", {{}, money("5 USD"), {}}).error()),
            "--max-spend: a bound in money, and no price (--price \"1.2 USD/h\", or --price-input "
            "and --price-output)");
  EXPECT_EQ(base::to_line(check("--max-spend", {by_time("1 CNY/h"), money("5 USD"), {}}).error()),
            "--max-spend: 5 USD is not in the price's currency (an amount in CNY)");
  EXPECT_TRUE(check("--max-spend", {by_time("1 USD/h"), money("5 USD"), {}}));
}

}  // namespace
}  // namespace steelyard::study
