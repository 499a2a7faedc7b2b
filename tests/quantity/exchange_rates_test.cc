#include "quantity/exchange_rates.h"

#include "base/random.h"
#include "quantity/price.h"

namespace steelyard::quantity {
namespace {

Money money(std::string_view text) { return Money::parse("", text).value(); }
ExchangeRate rate(std::string_view text) { return ExchangeRate::parse("", text).value(); }

ExchangeRates dollars(std::string_view cny) {
  return {"USD", "2026-11-30", "ECB", {{"CNY", rate(cny)}, {"EUR", rate("0.8625")}}};
}
Money converted(const ExchangeRates& rates, std::string_view from, std::string_view to) {
  return rates.convert(money(from), to).value();
}

TEST(ExchangeRate, is_an_exact_decimal) {
  EXPECT_EQ(rate(" 7.0800 ").text(), "7.0800");
  EXPECT_EQ(rate("7.0800").units(), 708'000'000);
  for (const std::string_view text :
       {"", "0", "0.000", "-7", "7e1", "1000000", "0.000000001", "seven", "7.", "inf"}) {
    EXPECT_FALSE(ExchangeRate::parse("", text)) << text;
  }
  EXPECT_EQ(ExchangeRate::parse("rates.yaml:3:8", "0").error().where, "rates.yaml:3:8");
}

TEST(ExchangeRates, converts_from_to_and_through_the_base) {
  const ExchangeRates rates = dollars("7.0800");
  EXPECT_EQ(converted(rates, "100 USD", "CNY"), money("708 CNY"));
  EXPECT_EQ(converted(rates, "708 CNY", "USD"), money("100 USD"));
  EXPECT_EQ(converted(rates, "708 CNY", "EUR"), money("86.25 EUR"));
  EXPECT_EQ(converted(rates, "0.1 GBP", "GBP"), money("0.1 GBP"));
  EXPECT_EQ(converted(rates, "1 CNY", "USD"), money("0.141242937853 USD"));
}

TEST(ExchangeRates, says_by_which_rate) {
  const ExchangeRates rates = dollars("7.0800");
  EXPECT_EQ(rates.describe("USD", "CNY"), "1 USD = 7.0800 CNY, 2026-11-30, ECB");
  EXPECT_EQ(rates.describe("CNY", "USD"), rates.describe("USD", "CNY"));
  EXPECT_EQ(rates.describe("CNY", "EUR"),
            "1 USD = 7.0800 CNY, 1 USD = 0.8625 EUR, 2026-11-30, ECB");
  EXPECT_EQ(rates.describe("EUR", "EUR"), "");
}

TEST(ExchangeRates, refuses_what_has_no_rate) {
  const base::Error unknown = dollars("7.08").convert(money("1 USD"), "JPY").error();
  EXPECT_EQ(base::to_line(unknown),
            "exchange rates of 2026-11-30 (ECB): no rate for JPY (known: USD, CNY, EUR)");
  EXPECT_FALSE(dollars("7.08").convert(money("1 JPY"), "USD"));
  EXPECT_FALSE(dollars("7.08").convert(money("900000000000 USD"), "CNY")) << "7e12 of them";
}

TEST(ExchangeRates, there_and_back_loses_at_most_the_last_places) {
  const ExchangeRates rates = dollars("7.0812");
  base::Random random(47);
  for (int round = 0; round < 2000; ++round) {
    const Money there = money(
        fmt::format("{}.{:09} USD", random.integer(0, 1'000'000), random.integer(0, 999'999'999)));
    const Money back = *rates.convert(*rates.convert(there, "CNY"), "USD");
    EXPECT_EQ(back.rounded(11), there) << there.to_text();
  }
}

// 98 CNY an hour beside 32 USD at 7.2: published as 15 to 20 % dearer, and it is 57 % cheaper.
TEST(ExchangeRates, two_clouds_side_by_side) {
  const Money yuan = converted(dollars("7.2"), "32 USD", "CNY");
  EXPECT_EQ(yuan, money("230.4 CNY"));
  EXPECT_NEAR(98 / yuan.amount() - 1, -0.57, 0.005);
}

// 32 USD an hour for a month of 720 h: published as 55,000 CNY.
TEST(ExchangeRates, a_month_in_the_other_currency) {
  const Money month = parse_price("", "32 USD/h")->of_time(720 * 3600 * base::kSecond);
  EXPECT_EQ(*dollars("7.2").convert(month, "CNY"), money("165888 CNY"));
}

TEST(ExchangeRates, a_rent_in_yuan) {
  EXPECT_EQ(converted(dollars("7.265"), "8.5 CNY", "USD").rounded(2), money("1.17 USD"));
  EXPECT_EQ(converted(dollars("8"), "98 CNY", "USD"), money("12.25 USD"));
}

}  // namespace
}  // namespace steelyard::quantity
