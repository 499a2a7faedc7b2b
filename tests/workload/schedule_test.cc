#include <array>
#include <cmath>

#include "workload/arrivals.h"
#include "workload/rate_curve.h"

namespace steelyard::workload {
namespace {

std::vector<double> times(const ArrivalOptions& options, std::uint64_t seed, double until_s,
                          std::optional<std::int64_t> count = {}) {
  Arrivals arrivals = *Arrivals::create(options, base::Random(seed), count);
  std::vector<double> at;
  for (auto due = arrivals.next(); due && base::to_seconds(*due) < until_s; due = arrivals.next()) {
    at.push_back(base::to_seconds(*due));
  }
  return at;
}

TEST(RateCurve, the_inverse_finds_back_what_the_integral_says) {
  base::Random random(5);
  for (int trial = 0; trial < 500; ++trial) {
    std::vector<RatePiece> pieces;
    double length_s = 0;
    for (int i = 0; i < 4; ++i) {
      RatePiece piece{0.1 + 10 * random.uniform(), 0.01 + 50 * random.uniform(),
                      0.01 + 50 * random.uniform(), random.uniform() < 0.5};
      if (random.uniform() < 0.2) {
        piece.to_rps = piece.from_rps;
      }
      length_s += piece.duration_s;
      pieces.push_back(piece);
    }
    const RateCurve curve(pieces);
    for (int i = 0; i < 20; ++i) {
      const double t = length_s * random.uniform();
      const auto back = curve.reached_at(curve.expected_by(t));
      ASSERT_TRUE(back);
      EXPECT_NEAR(*back, t, 1e-9 * length_s);
    }
    EXPECT_FALSE(curve.reached_at(curve.expected_by(length_s) + 1));
  }
}

TEST(RateCurve, the_integral_is_that_of_the_rate) {
  const RateCurve linear({{10, 0, 4, false}});
  EXPECT_DOUBLE_EQ(linear.expected_by(10), 20);
  EXPECT_DOUBLE_EQ(linear.expected_by(5), 5);
  const RateCurve exponential({{10, 1, std::exp(1.0), true}});
  EXPECT_NEAR(exponential.expected_by(10), 10 * (std::exp(1.0) - 1), 1e-12);
  EXPECT_NEAR(ramp_duration_s({1, 2, 6, false}, 40), 10, 1e-12);
}

// Poisson counts in windows: variance over mean is 1, by the chi-squared test at five deviations
// either way. Rescaled arrivals, whose total is fixed, are far below it in a single window.
TEST(Arrivals, poisson_counts_are_dispersed_as_they_must_be) {
  constexpr int kWindows = 4'000;
  const auto at = times({.rate_rps = 20, .burstiness = 1}, 3, kWindows);
  std::vector<double> counts(kWindows);
  for (const double t : at) {
    ++counts[static_cast<std::size_t>(t)];
  }
  const double mean = static_cast<double>(at.size()) / kWindows;
  double dispersion = 0;
  for (const double count : counts) {
    dispersion += (count - mean) * (count - mean) / mean;
  }
  EXPECT_NEAR(dispersion, kWindows - 1, 5 * std::sqrt(2.0 * kWindows));

  std::vector<double> totals;
  for (std::uint64_t seed = 0; seed < 500; ++seed) {
    totals.push_back(static_cast<double>(times({.rate_rps = 10}, seed, 10).size()));
  }
  double sum = 0;
  double squares = 0;
  for (const double total : totals) {
    sum += total;
    squares += total * total;
  }
  const double mean_total = sum / 500;
  EXPECT_NEAR(mean_total, 100, 5 * 10 / std::sqrt(500.0));
  EXPECT_NEAR((squares / 500 - mean_total * mean_total) / 100, 1, 5 * std::sqrt(2.0 / 500));
}

// Along the integral the arrivals of any rate are those of rate one: Kolmogorov and Smirnov's
// distance from the exponential, below the bound for one in a million (Massart).
TEST(Arrivals, gaps_along_the_integral_are_exponential_whatever_the_rate) {
  ArrivalOptions options;
  options.stages = {{30, 5, 5, false}, {60, 5, 40, false}, {20, 0, 0, false}, {60, 40, 2, true}};
  const RateCurve curve(options.stages);
  std::vector<double> gaps;
  for (std::uint64_t seed = 0; seed < 8; ++seed) {
    double before = 0;
    for (const double t : times(options, seed, 1e9)) {
      EXPECT_FALSE(t > 90 && t < 110) << "nothing comes in a pause";
      const double now = curve.expected_by(t);
      gaps.push_back(now - before);
      before = now;
    }
  }
  std::ranges::sort(gaps);
  const auto n = static_cast<double>(gaps.size());
  double distance = 0;
  for (std::size_t i = 0; i < gaps.size(); ++i) {
    const double exact = 1 - std::exp(-gaps[i]);
    distance = std::max({distance, std::abs(exact - static_cast<double>(i) / n),
                         std::abs(exact - static_cast<double>(i + 1) / n)});
  }
  EXPECT_GT(gaps.size(), 10'000U);
  // The last gap of each seed is cut short by the end: 8 of more than 10,000.
  EXPECT_LT(distance, std::sqrt(std::log(2e6) / (2 * n)) + 8 / n);
}

TEST(Arrivals, a_ramp_has_as_many_as_its_integral_and_goes_on_at_its_end) {
  for (const bool exponential : {false, true}) {
    ArrivalOptions options;
    options.ramp = Ramp{exponential ? 1.0 : 0.0, 20, exponential, 100 * base::kSecond};
    const double expected = exponential ? 100 * 19 / std::log(20.0) : 1'000;
    double sum = 0;
    double after = 0;
    for (std::uint64_t seed = 0; seed < 50; ++seed) {
      const auto at = times(options, seed, 150);
      const auto in_ramp = std::ranges::count_if(at, [](double t) { return t < 100; });
      sum += static_cast<double>(in_ramp);
      after += static_cast<double>(at.size()) - static_cast<double>(in_ramp);
    }
    EXPECT_NEAR(sum / 50, expected, 5 * std::sqrt(expected / 50)) << exponential;
    EXPECT_NEAR(after / 50, 1'000, 5 * std::sqrt(1'000.0 / 50)) << exponential;
  }
}

TEST(Arrivals, an_even_ramp_over_a_count_reaches_its_end_with_the_last) {
  ArrivalOptions options;
  options.burstiness = std::numeric_limits<double>::infinity();
  options.ramp = Ramp{1, 9, false, {}};
  const auto at = times(options, 1, 20.0001, 100);
  ASSERT_EQ(at.size(), 101U) << "100 over 20 s at 5 a second on average, and one at the start";
  EXPECT_EQ(at.front(), 0);
  EXPECT_NEAR(at.back(), 20, 1e-6);
}

TEST(Arrivals, end_with_the_last_stage) {
  ArrivalOptions options;
  options.stages = *parse_stages("--stages", "10s@5/s, 1min@0, 5s@1..3");
  const auto at = times(options, 4, 1e9);
  EXPECT_NEAR(static_cast<double>(at.size()), 60, 5 * std::sqrt(60.0));
  EXPECT_LT(at.back(), 75);
  EXPECT_TRUE(Arrivals::create(options, base::Random(1))->ends());
}

TEST(Stages, are_read_with_units_and_ramps) {
  const auto stages = *parse_stages("", " 60s@5/s,2min@60..1200/min , 1h@7.5");
  ASSERT_EQ(stages.size(), 3U);
  EXPECT_DOUBLE_EQ(stages[1].duration_s, 120);
  EXPECT_DOUBLE_EQ(stages[1].from_rps, 1);
  EXPECT_DOUBLE_EQ(stages[1].to_rps, 20);
  EXPECT_DOUBLE_EQ(stages[2].to_rps, 7.5);
}

TEST(Stages, a_slip_is_named) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 8> kSlips = {
      {{"5/s", "\"5/s\" is no stage"},
       {"60@5/s", "\"60\" has no unit"},
       {"0s@5/s", "\"0s@5/s\" takes no time"},
       {"60s@", "is not a rate"},
       {"60s@inf", "a rate of inf"},
       {"60s@0", "\"60s@0\" sends nothing"},
       {"60s@5..x", "\"x\" is not a rate"},
       {"", "\"\" is no stage"}}};
  for (const auto& [text, what] : kSlips) {
    const auto stages = parse_stages("--stages", text);
    ASSERT_FALSE(stages) << text;
    EXPECT_THAT(base::to_line(stages.error()), testing::HasSubstr(what));
  }
}

TEST(Arrivals, refuse_two_schedules_and_ramps_without_a_length) {
  ArrivalOptions both;
  both.rate_rps = 5;
  both.ramp = Ramp{1, 2, false, {}};
  EXPECT_THAT(base::to_line(Arrivals::create(both, base::Random(1), 10).error()),
              testing::HasSubstr("more than one schedule"));
  both.rate_rps = std::numeric_limits<double>::infinity();
  EXPECT_TRUE(Arrivals::create(both, base::Random(1), 10));
  EXPECT_THAT(base::to_line(Arrivals::create(both, base::Random(1)).error()),
              testing::HasSubstr("--num-prompts or --duration"));
  both.ramp = Ramp{0, 2, true, {}};
  EXPECT_EQ(Arrivals::create(both, base::Random(1), 10).error().where, "--ramp-up-start-rps");
  both.ramp = Ramp{1, 0, false, {}};
  EXPECT_EQ(Arrivals::create(both, base::Random(1), 10).error().where, "--ramp-up-end-rps");
}

}  // namespace
}  // namespace steelyard::workload
