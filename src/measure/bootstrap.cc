#include "measure/bootstrap.h"

#include <algorithm>
#include <vector>

#include "base/random.h"

namespace steelyard::measure {
namespace {

// The 2.5 % and 97.5 % ends of 1,000 resamples leave 25 beyond on either side.
constexpr std::size_t kResamples = 1000;
constexpr std::size_t kBeyond = 25;

std::int64_t resampled_sum(std::span<const std::int64_t> values, base::Random& random) {
  const auto last = static_cast<std::int64_t>(values.size()) - 1;
  std::int64_t sum = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    sum += values[static_cast<std::size_t>(random.integer(0, last))];
  }
  return sum;
}

}  // namespace

std::optional<SumInterval> sum_interval(std::span<const std::int64_t> values, std::uint64_t seed) {
  if (values.size() < 2) {
    return std::nullopt;
  }
  base::Random random(seed);
  std::vector<std::int64_t> sums(kResamples);
  std::generate(sums.begin(), sums.end(), [&] { return resampled_sum(values, random); });
  std::sort(sums.begin(), sums.end());
  return SumInterval{sums[kBeyond], sums[kResamples - 1 - kBeyond]};
}

}  // namespace steelyard::measure
