// A positive figure and how sure it is.
#pragma once

#include <optional>

namespace steelyard::measure {

struct Estimate {
  double value = 0;
  // Standard deviation of its logarithm, of so many degrees of freedom; absent: not known.
  std::optional<double> spread{};
  double degrees = 0;

  // 95 %, by Student's t on the logarithm; absent where the spread is not known.
  [[nodiscard]] std::optional<double> low() const;
  [[nodiscard]] std::optional<double> high() const;
};

}  // namespace steelyard::measure
