// A seeded random source whose numbers are the same on every machine and library version (the
// standard's distributions are not), so that a seed stored with a result reproduces it.
// Generator: xoshiro256** (Blackman & Vigna 2018), seeded through splitmix64.
#pragma once

#include <array>
#include <cstdint>

namespace steelyard::base {

class Random {
 public:
  explicit Random(std::uint64_t seed);
  // An independent stream for a named purpose, so that adding one consumer does not shift another.
  [[nodiscard]] Random fork(std::uint64_t stream) const;

  std::uint64_t next();
  // In [0, 1).
  double uniform();
  // In [low, high], both ends included; high >= low.
  std::int64_t integer(std::int64_t low, std::int64_t high);
  // Mean 1.
  double exponential();
  // Mean 0, deviation 1.
  double normal();
  // exp(mu + sigma * normal()).
  double lognormal(double mu, double sigma);
  // Shape k > 0, scale 1, so the mean is k (Marsaglia & Tsang 2000).
  double gamma(double shape);

 private:
  std::array<std::uint64_t, 4> state_{};
  std::uint64_t seed_;
};

}  // namespace steelyard::base
