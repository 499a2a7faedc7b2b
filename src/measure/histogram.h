// A log-linear histogram of nanoseconds: exact up to 2,047 ns, and above that 1,024 buckets an
// octave, so that a bucket's middle is within 0.05 % of every value in it. Fixed layout, so merging
// is addition. Recording allocates nothing.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "base/clock.h"

namespace steelyard::measure {

class Histogram {
 public:
  // Values beyond (about 9.8 hours) are counted in the last bucket.
  static constexpr base::Nanos kLargest = (base::Nanos{1} << 45) - 1;
  static constexpr double kRelativeError = 0.0005;

  // Buckets are numbered in the order of the values they hold; beyond the ends counts as at them.
  [[nodiscard]] static constexpr std::size_t bucket_of(base::Nanos value) {
    const auto in_range = static_cast<std::uint64_t>(std::clamp<base::Nanos>(value, 0, kLargest));
    if (in_range < 2 * kSub) {
      return in_range;
    }
    const int shift = static_cast<int>(std::bit_width(in_range)) - (kSubBits + 1);
    return (static_cast<std::size_t>(shift) << kSubBits) + (in_range >> shift);
  }
  [[nodiscard]] static base::Nanos middle_of(std::size_t bucket);

  Histogram();
  // Negative values count as 0.
  void record(base::Nanos value, std::uint64_t times = 1);
  void merge(const Histogram& other);

  [[nodiscard]] std::uint64_t count() const { return count_; }
  // Nearest-rank, q in (0, 1]; absent when empty. The largest and smallest are exact.
  [[nodiscard]] std::optional<base::Nanos> percentile(double q) const;
  // The value at a rank from 1 to the count.
  [[nodiscard]] base::Nanos at_rank(std::uint64_t rank) const;

 private:
  static constexpr int kSubBits = 10;
  static constexpr std::uint64_t kSub = 1ULL << kSubBits;

  std::vector<std::uint64_t> buckets_;
  std::uint64_t count_ = 0;
  base::Nanos smallest_ = kLargest;
  base::Nanos largest_ = 0;
};

}  // namespace steelyard::measure
