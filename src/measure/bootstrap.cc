#include "measure/bootstrap.h"

#include <algorithm>
#include <limits>
#include <vector>

#include "base/check.h"
#include "base/random.h"

namespace steelyard::measure {
namespace {

// The 2.5 % and 97.5 % ends of 1,000 resamples leave 25 beyond on either side.
constexpr std::size_t kResamples = 1000;
constexpr std::size_t kBeyond = 25;
constexpr double kUnbounded = std::numeric_limits<double>::infinity();

double resampled_ratio(std::span<const double> over, std::span<const double> under,
                       base::Random& random) {
  const auto last = static_cast<std::int64_t>(over.size()) - 1;
  double above = 0;
  double below = 0;
  for (std::size_t i = 0; i < over.size(); ++i) {
    const auto drawn = static_cast<std::size_t>(random.integer(0, last));
    above += over[drawn];
    below += under[drawn];
  }
  return below > 0 ? above / below : kUnbounded;
}

std::optional<double> bounded(double value) {
  return value < kUnbounded ? std::optional(value) : std::nullopt;
}

}  // namespace

std::optional<RatioInterval> ratio_interval(std::span<const double> over,
                                            std::span<const double> under, std::uint64_t seed) {
  STEELYARD_CHECK(over.size() == under.size(), "each request has both values");
  if (over.size() < 2) {
    return std::nullopt;
  }
  base::Random random(seed);
  std::vector<double> ratios(kResamples);
  std::generate(ratios.begin(), ratios.end(), [&] { return resampled_ratio(over, under, random); });
  std::sort(ratios.begin(), ratios.end());
  return RatioInterval{bounded(ratios[kBeyond]), bounded(ratios[kResamples - 1 - kBeyond])};
}

}  // namespace steelyard::measure
