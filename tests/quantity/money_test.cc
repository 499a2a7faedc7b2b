#include "quantity/money.h"

#include "base/random.h"

namespace steelyard::quantity {
namespace {

Money money(std::string_view text) { return Money::parse("", text).value(); }

TEST(Money, reads_amounts_and_currencies) {
  EXPECT_EQ(money("0.79 USD").to_text(), "0.79 USD");
  EXPECT_EQ(money("$2.50").to_text(), "2.5 USD");
  EXPECT_EQ(money("8.5 元"), money("8.5 CNY"));
  EXPECT_EQ(money("¥8.5"), money("8.500CNY"));
  EXPECT_EQ(money("999999999999.999999999999 CNY").to_text(), "999999999999.999999999999 CNY");
}

TEST(Money, refuses_what_is_none) {
  for (const std::string_view text :
       {"", "0.79", "USD", "-1 USD", "1e3 USD", "1. USD", ".5 USD", "1,5 USD", "1000000000000 USD",
        "0.0000000000001 USD", "0.79 usd", "nan USD"}) {
    EXPECT_FALSE(Money::parse("", text)) << text;
  }
}

TEST(Money, sums_are_exact) {
  Money sum = money("0 USD");
  for (int i = 0; i < 1'000'000; ++i) {
    sum += money("0.0000001 USD");
  }
  EXPECT_EQ(sum, money("0.1 USD"));
}

TEST(Money, rounds_half_to_even) {
  EXPECT_EQ(money("0.125 USD").rounded(2), money("0.12 USD"));
  EXPECT_EQ(money("0.135 USD").rounded(2), money("0.14 USD"));
  EXPECT_EQ(money("0.1251 USD").rounded(2), money("0.13 USD"));
}

TEST(Money, scaling_by_time) {
  EXPECT_EQ(money("0.72 USD").scaled(5, 3600), money("0.001 USD"));
  EXPECT_EQ(money("98 CNY").scaled(1, 8), money("12.25 CNY"));
  EXPECT_EQ(money("1 USD").scaled(1, 3).to_text(), "0.333333333333 USD");
  base::Random random(41);
  for (int round = 0; round < 2000; ++round) {
    const std::int64_t times = random.integer(0, 1'000'000);
    EXPECT_EQ(money("0.79 USD").scaled(times, 1).scaled(1, 1),
              money("0.79 USD").scaled(times * 3, 3));
  }
}

}  // namespace
}  // namespace steelyard::quantity
