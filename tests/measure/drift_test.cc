#include "measure/drift.h"

#include <vector>

#include "base/random.h"

namespace steelyard::measure {
namespace {

constexpr int kStretches = 10;

// The number in a queue of so many servers, exponential service of mean 1, Poisson arrivals:
// means over equal stretches, after as long again to settle.
std::vector<double> queue_means(double load, int servers, double stretch, base::Random& random) {
  std::vector<double> means;
  int inside = 0;
  double left = stretch;
  double area = 0;
  int settling = kStretches;
  while (means.size() < kStretches) {
    const double arrivals = load * servers;
    const double rate = arrivals + std::min(inside, servers);
    const double step = random.exponential() / rate;
    if (step >= left) {  // without memory: the rest of the step is drawn anew
      area += inside * left;
      if (settling-- <= 0) {
        means.push_back(area / stretch);
      }
      area = 0;
      left = stretch;
      continue;
    }
    area += inside * step;
    left -= step;
    inside += random.uniform() < arrivals / rate ? 1 : -1;
  }
  return means;
}

int found(double load, double stretch, int runs) {
  int count = 0;
  for (int run = 0; run < runs; ++run) {
    base::Random random = base::Random(11).fork(static_cast<std::uint64_t>(run));
    const auto drift = drift_of(queue_means(load, 8, stretch, random));
    count += drift && drift->chance < 0.01 ? 1 : 0;
  }
  return count;
}

TEST(Drift, a_queue_below_its_capacity_does_not_drift) {
  for (const double load : {0.5, 0.9, 0.97}) {
    EXPECT_LE(found(load, 10, 500), 13) << load;  // 1 % of 500, and three deviations more
  }
}

TEST(Drift, a_queue_above_its_capacity_does) {
  EXPECT_GE(found(1.5, 10, 200), 196);
  EXPECT_GE(found(1.2, 100, 200), 196);
}

TEST(Drift, an_even_rise_is_one_and_a_level_none) {
  const std::vector<double> rise = {1, 2, 3, 4, 5};
  EXPECT_EQ(drift_of(rise)->per_stretch, 1);
  EXPECT_EQ(drift_of(rise)->chance, 0);
  EXPECT_EQ(drift_of(std::vector<double>(5, 3.0))->chance, 1);
  EXPECT_GT(drift_of(std::vector<double>{5, 4, 4.5, 3})->chance, 0.5);
  EXPECT_FALSE(drift_of(std::vector<double>{1, 2, 3}));
}

}  // namespace
}  // namespace steelyard::measure
