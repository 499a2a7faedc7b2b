#include "price/cptls.h"

namespace steelyard::price {
namespace {

// The four rows of the article's table at attainment 0.99, recomputed: the published index before
// its hours are turned into seconds, and ours at 100 % and 30 % busy.
struct Row {
  double price;
  double response_s;
  double tps;
  double index;
  double busy;
  double third;
};
constexpr Row kRows[] = {{0.79, 0.095, 2800, 2.71e-5, 0.0792, 0.264},
                         {0.79, 0.100, 2700, 2.96e-5, 0.0821, 0.274},
                         {2.50, 0.105, 2500, 1.06e-4, 0.281, 0.935},
                         {5.04, 0.110, 2400, 2.33e-4, 0.589, 1.96}};
constexpr TokenPriced kApi = {0.05, 0.25, 512, 256, 0.99};

double by_time(double price, double tps, double busy, double attainment) {
  return cptls_by_time({price, 1, tps, busy, attainment}).value().amount;
}

TEST(Cptls, golden_rows) {
  for (const Row& row : kRows) {
    const double index = cptls_as_published(row.price, row.response_s, row.tps, 0.99)->amount;
    EXPECT_NEAR(index * 3600, row.index, row.index * 0.005);
    EXPECT_NEAR(by_time(row.price, row.tps, 1, 0.99), row.busy, row.busy * 0.005);
    EXPECT_NEAR(by_time(row.price, row.tps, 0.3, 0.99), row.third, row.third * 0.005);
  }
}

TEST(Cptls, a_token_api_and_the_break_even) {
  EXPECT_NEAR(cptls_by_token(kApi)->amount, 0.354, 0.0005);
  EXPECT_NEAR(*break_even_busy_share({0.79, 1, 2800, 1, 0.99}, kApi), 0.23, 0.01);
}

// Llama-3.1-8B on one A100-80 at 6 req/s, 1,488 output tok/s, at three rents.
TEST(Cptls, a_public_measurement) {
  EXPECT_NEAR(by_time(0.79, 1488, 1, 1), 0.147, 0.0005);
  EXPECT_NEAR(by_time(1.39, 1488, 1, 1), 0.259, 0.0005);
  EXPECT_NEAR(by_time(1.64, 1488, 1, 1), 0.306, 0.0005);
}

TEST(Cptls, the_two_rank_the_same_gpu_differently) {
  EXPECT_LT(cptls_as_published(2, 1, 1000, 0.99)->amount,
            cptls_as_published(2, 4, 3000, 0.99)->amount);
  EXPECT_GT(by_time(2, 1000, 1, 0.99), by_time(2, 3000, 1, 0.99));
}

// 1.006 USD an hour for 0.15 s and 256 tokens: 0.164 USD a million, not 590.
TEST(Cptls, over_a_window) {
  const auto cost = quantity::Money::parse("", "1.006 USD")->scaled(150, 3'600'000);
  EXPECT_NEAR(cptls_of_window(cost, 256)->amount, 0.164, 0.0005);
  EXPECT_FALSE(cptls_of_window(cost, 0));
}

TEST(Cptls, is_absent_where_nothing_good_comes) {
  EXPECT_FALSE(cptls_by_time({1, 1, 1000, 1, 0}));
  EXPECT_FALSE(cptls_by_time({1, 1, 0, 1, 1}));
  EXPECT_FALSE(cptls_by_time({1, 1, 1000, 1.2, 1}));
  EXPECT_FALSE(cptls_by_token({1, 1, 10, 0, 1}));
  EXPECT_FALSE(cptls_as_published(1, 1, 0, 1));
}

}  // namespace
}  // namespace steelyard::price
