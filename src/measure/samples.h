// The samples of one latency over a run of any length: each value while there are few, and then a
// histogram, so that a run of a million requests needs no more memory than one of ten thousand.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "measure/histogram.h"
#include "measure/moments.h"

namespace steelyard::measure {

class Samples {
 public:
  // Up to this many every value is kept; with more, an order statistic is within
  // `Histogram::kRelativeError` of the true one (or half a nanosecond). Least, largest, mean and
  // deviation are exact always.
  static constexpr std::size_t kMostExact = 32'768;

  // `times` samples of the same value, in nanoseconds. Allocates nothing once there are many.
  void add(double value_ns, std::uint32_t times = 1);
  void merge(const Samples& other);

  [[nodiscard]] std::int64_t count() const { return count_; }
  [[nodiscard]] bool exact() const { return !spilled_; }
  [[nodiscard]] Moments moments() const;

  // The samples in order. Sorts, where they are exact.
  class Ranked {
   public:
    explicit Ranked(const Samples& samples);
    // `rank` from 1 to the count: the value at it in nanoseconds.
    [[nodiscard]] double at(std::size_t rank) const;
    [[nodiscard]] std::size_t size() const { return size_; }

   private:
    const Samples& samples_;
    std::size_t size_;
    std::vector<double> sorted_;
  };

 private:
  void settle();
  void spill();

  std::int64_t count_ = 0;
  double least_ = 0;
  double largest_ = 0;
  std::vector<double> values_;        // until there are too many
  std::optional<Histogram> spilled_;  // from then on
  // Sums of a few samples at a time, as offsets from a value near them: no division per sample.
  Moments settled_;
  double origin_ = 0;
  int pending_adds_ = 0;
  double pending_n_ = 0;
  double pending_sum_ = 0;
  double pending_squares_ = 0;
};

}  // namespace steelyard::measure
