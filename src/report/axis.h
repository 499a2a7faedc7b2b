// An axis of a chart: values to pixels, and round numbers to write beside it.
#pragma once

#include <vector>

namespace steelyard::report {

class Axis {
 public:
  enum class Scale { kLinear, kLog };

  // From 0 on, or logarithmic where the largest is more than ten times the smallest and
  // `may_be_log`. `values` that are not above 0 or not finite are passed over; with none left it
  // runs from 0 to 1. The largest value stays a little short of `to_px`.
  Axis(const std::vector<double>& values, bool may_be_log, double from_px, double to_px);

  [[nodiscard]] Scale scale() const { return scale_; }
  // Held within the axis.
  [[nodiscard]] double at(double value) const;
  [[nodiscard]] bool holds(double value) const { return value >= low_ && value <= high_; }
  // Ascending, at most about eight.
  [[nodiscard]] std::vector<double> ticks() const;

 private:
  Scale scale_ = Scale::kLinear;
  double low_ = 0;
  double high_ = 1;
  double from_px_;
  double to_px_;
};

}  // namespace steelyard::report
