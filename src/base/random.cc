#include "base/random.h"

#include <bit>
#include <cmath>
#include <numbers>

namespace steelyard::base {

namespace {
std::uint64_t splitmix64(std::uint64_t& x) {
  x += 0x9e3779b97f4a7c15ULL;
  std::uint64_t z = x;
  z = (z ^ (z >> 30U)) * 0xbf58476d1ce4e5b9ULL;
  z = (z ^ (z >> 27U)) * 0x94d049bb133111ebULL;
  return z ^ (z >> 31U);
}
}  // namespace

Random::Random(std::uint64_t seed) : seed_(seed) {
  for (auto& word : state_) {
    word = splitmix64(seed);
  }
}

Random Random::fork(std::uint64_t stream) const {
  std::uint64_t mixed = seed_ ^ (stream * 0xd1342543de82ef95ULL + 0x2545f4914f6cdd1dULL);
  return Random(splitmix64(mixed));
}

std::uint64_t Random::next() {
  const std::uint64_t result = std::rotl(state_[1] * 5, 7) * 9;
  const std::uint64_t t = state_[1] << 17U;
  state_[2] ^= state_[0];
  state_[3] ^= state_[1];
  state_[1] ^= state_[2];
  state_[0] ^= state_[3];
  state_[2] ^= t;
  state_[3] = std::rotl(state_[3], 45);
  return result;
}

double Random::uniform() { return static_cast<double>(next() >> 11U) * 0x1.0p-53; }

std::int64_t Random::integer(std::int64_t low, std::int64_t high) {
  const double span = static_cast<double>(high - low) + 1.0;
  const auto offset = static_cast<std::int64_t>(uniform() * span);
  return low + (offset > high - low ? high - low : offset);
}

double Random::exponential() { return -std::log(1.0 - uniform()); }

double Random::normal() {
  const double radius = std::sqrt(-2.0 * std::log(1.0 - uniform()));
  return radius * std::cos(2.0 * std::numbers::pi * uniform());
}

double Random::lognormal(double mu, double sigma) { return std::exp(mu + sigma * normal()); }

double Random::gamma(double shape) {
  if (shape < 1.0) {  // boost: gamma(k) = gamma(k + 1) * U^(1/k)
    return gamma(shape + 1.0) * std::pow(1.0 - uniform(), 1.0 / shape);
  }
  const double d = shape - 1.0 / 3.0;
  const double c = 1.0 / std::sqrt(9.0 * d);
  for (;;) {
    const double x = normal();
    const double v = std::pow(1.0 + c * x, 3);
    if (v > 0 && std::log(1.0 - uniform()) < 0.5 * x * x + d - d * v + d * std::log(v)) {
      return d * v;
    }
  }
}

}  // namespace steelyard::base
