// Mean and deviation of samples that are not kept.
#pragma once

#include <cmath>
#include <optional>

namespace steelyard::measure {

struct Moments {
  double n = 0;
  double mean = 0;
  double squares = 0;  // of the deviations from the mean, summed

  // Exact but for rounding, whatever the order (Chan, Golub & LeVeque, The American Statistician
  // 37, 1983): subtracting large sums of squares would lose the deviation.
  void merge(const Moments& other) {
    if (other.n == 0) {
      return;
    }
    const double total = n + other.n;
    const double off = other.mean - mean;
    mean += off * (other.n / total);
    squares += other.squares + off * off * (n * other.n / total);
    n = total;
  }
  // With n - 1; absent when n < 2.
  [[nodiscard]] std::optional<double> deviation() const {
    return n < 2 ? std::nullopt : std::optional(std::sqrt(squares / (n - 1)));
  }
};

}  // namespace steelyard::measure
