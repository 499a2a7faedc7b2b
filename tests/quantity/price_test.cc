#include "quantity/price.h"

#include "base/random.h"

namespace steelyard::quantity {
namespace {

Price price(std::string_view text) { return parse_price("", text).value(); }
Money money(std::string_view text) { return Money::parse("", text).value(); }

TEST(Price, reads_prices_by_time) {
  EXPECT_EQ(to_text(price("0.79 USD/h")), "0.79 USD/h");
  EXPECT_EQ(to_text(price("0.0014 USD/s")), "0.0014 USD/s");
  EXPECT_EQ(to_text(price("2.50 $/hour")), "2.5 USD/h");
  EXPECT_EQ(to_text(price("$2.50 / hr")), "2.5 USD/h");
  EXPECT_EQ(to_text(price("8.5 CNY/h")), "8.5 CNY/h");
  EXPECT_EQ(price("8.5 元/小时"), price("8.5 CNY/h"));
  EXPECT_EQ(price("0.03 USD/minute"), price("0.03 USD/min"));
  EXPECT_EQ(price("0.002 USD/seconds"), price("0.002 USD/s"));
}

TEST(Price, a_gpu_hour_is_another_basis_than_a_machine_hour) {
  EXPECT_FALSE(price("2.5 USD/h").per_gpu);
  for (const std::string_view text :
       {"2.5 USD/GPU-h", "2.5 USD/gpu-hour", "2.5 USD/GPU/hr", "2.5 USD/h/GPU"}) {
    EXPECT_EQ(to_text(price(text)), "2.5 USD/GPU-h") << text;
  }
  EXPECT_EQ(to_text(price("15 元/卡时")), "15 CNY/GPU-h");
  EXPECT_EQ(to_text(price("15 元/小时/卡")), "15 CNY/GPU-h");
  EXPECT_FALSE(parse_price("", "2.5 USD/GPU-tok"));
}

TEST(Price, reads_prices_by_token) {
  EXPECT_EQ(to_text(price("0.15 USD/Mtok")), "0.15 USD/Mtok");
  EXPECT_EQ(to_text(price("0.05 USD/Ktok")), "0.05 USD/Ktok");
  EXPECT_EQ(to_text(price("0.8 USD/1M tokens")), "0.8 USD/Mtok");
  EXPECT_EQ(to_text(price("0.0015 USD / 1k tokens")), "0.0015 USD/Ktok");
  EXPECT_EQ(to_text(price("2 元/百万 tokens")), "2 CNY/Mtok");
  EXPECT_EQ(to_text(price("0.00000015 USD/token")), "0.00000015 USD/tok");
  EXPECT_EQ(to_text(price("0 USD/Mtok")), "0 USD/Mtok");
}

TEST(Price, refuses_with_what_would_be_right) {
  const base::Error no_unit = parse_price("suite.yaml:4:9", "0.79 USD").error();
  EXPECT_EQ(base::to_line(no_unit),
            "suite.yaml:4:9: \"0.79 USD\" has no unit "
            "(a price and its unit, such as 0.79 USD/h or 0.15 USD/Mtok)");
  EXPECT_EQ(parse_price("", "0.79/h").error().what, "\"0.79\" has no currency");
  const base::Error metres = parse_price("", "0.79 USD/m").error();
  EXPECT_EQ(metres.what, "\"0.79 USD/m\" has an unknown unit");
  EXPECT_EQ(metres.hint, "/s, /min, /h, /GPU-h, /tok, /Ktok or /Mtok");
  for (const std::string_view text :
       {"", "/", "/h", "0.79 USD/", "-1 USD/h", "0.79 USD/M", "0.79 USD/1", "0.79 USD/1h",
        "0.79 USD/GPU", "0.79 USD/h/h", "0.79 USD/GPU-GPU-h", "USD/h"}) {
    EXPECT_FALSE(parse_price("", text)) << text;
  }
}

TEST(Price, of_a_time_is_exact) {
  EXPECT_EQ(price("0.72 USD/h").of_time(5 * base::kSecond), money("0.001 USD"));
  EXPECT_EQ(price("0.0014 USD/s").of_time(3600 * base::kSecond), money("5.04 USD"));
  EXPECT_EQ(price("0.06 USD/min").of_time(base::kSecond), money("0.001 USD"));
  EXPECT_EQ(price("32 USD/h").of_time(720 * 3600 * base::kSecond), money("23040 USD"));
}

TEST(Price, of_tokens_is_exact) {
  EXPECT_EQ(price("0.15 USD/Mtok").of_tokens(1), money("0.00000015 USD"));
  EXPECT_EQ(price("0.05 USD/Ktok").of_tokens(1500), money("0.075 USD"));
  EXPECT_EQ(price("0.00000015 USD/tok").of_tokens(1'000'000), money("0.15 USD"));
}

// 500 input tokens at 0.00015 and 300 output tokens at 0.0006 USD per 1K, a thousand times a day,
// were published as 255 USD a day, which reads both prices as if they were for one token.
TEST(Price, the_basis_is_a_thousandfold) {
  const auto day = [](std::string_view unit) {
    return (price(fmt::format("0.00015 USD/{}", unit)).of_tokens(500) +
            price(fmt::format("0.0006 USD/{}", unit)).of_tokens(300))
        .scaled(1000, 1);
  };
  EXPECT_EQ(day("Ktok"), money("0.255 USD"));
  EXPECT_EQ(day("tok"), money("255 USD"));
}

// 100 requests a second of 256 tokens for 720 h are 66,355 M tokens.
TEST(Price, a_month_of_an_api) {
  const std::int64_t tokens = 100LL * 256 * 720 * 3600;
  EXPECT_EQ(tokens / 1'000'000, 66'355);
  EXPECT_EQ(price("8 CNY/Mtok").of_tokens(tokens).rounded(0), money("530842 CNY"));
  EXPECT_EQ(price("15 CNY/Mtok").of_tokens(tokens), money("995328 CNY"));
}

// 100,000 requests a day of 0.1 s for 30 days at 0.79 USD/h: published as 64.5 USD.
TEST(Price, a_month_of_busy_time) {
  EXPECT_EQ(price("0.79 USD/h").of_time(30LL * 100'000 * 100 * base::kMillisecond).rounded(2),
            money("65.83 USD"));
}

TEST(Price, prints_what_it_reads) {
  base::Random random(43);
  for (int round = 0; round < 2000; ++round) {
    const std::string text =
        fmt::format("{}.{:012} USD/{}", random.integer(0, 999'999), random.integer(0, 999'999'999),
                    std::array{"s", "min", "h", "GPU-h", "tok", "Ktok",
                               "Mtok"}[static_cast<std::size_t>(random.integer(0, 6))]);
    const Price once = price(text);
    EXPECT_EQ(price(to_text(once)), once) << text;
  }
}

}  // namespace
}  // namespace steelyard::quantity
