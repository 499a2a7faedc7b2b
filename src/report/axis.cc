#include "report/axis.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace steelyard::report {
namespace {

constexpr double kMargin = 1.08;  // between the largest value and the end
constexpr double kLogFrom = 10;   // so many times the smallest
constexpr double kFewestSteps = 4;
constexpr std::size_t kMostTicks = 8;

// 1, 2 or 5 times a power of ten, at most `value`.
double round_down(double value) {
  const double power = std::pow(10, std::floor(std::log10(value)));
  for (const double step : {5.0, 2.0}) {
    if (step * power <= value * (1 + 1e-9)) {
      return step * power;
    }
  }
  return power;
}

std::vector<double> linear_ticks(double high) {
  const double step = round_down(high / kFewestSteps);
  std::vector<double> ticks;
  for (int i = 0; i * step <= high * (1 + 1e-9); ++i) {
    ticks.push_back(i * step);
  }
  return ticks;
}

std::vector<double> log_ticks(double low, double high) {
  std::vector<double> all;
  std::vector<double> decades;
  const int last = static_cast<int>(std::floor(std::log10(high)));
  for (int decade = static_cast<int>(std::floor(std::log10(low))); decade <= last; ++decade) {
    const double power = std::pow(10, decade);
    for (const double step : {1.0, 2.0, 5.0}) {
      const double value = step * power;
      if (value >= low * (1 - 1e-9) && value <= high * (1 + 1e-9)) {
        all.push_back(value);
        if (step == 1.0) {
          decades.push_back(value);
        }
      }
    }
  }
  return all.size() <= kMostTicks ? all : decades;
}

}  // namespace

Axis::Axis(const std::vector<double>& values, bool may_be_log, double from_px, double to_px)
    : from_px_(from_px), to_px_(to_px) {
  std::vector<double> kept;
  std::ranges::copy_if(values, std::back_inserter(kept),
                       [](double value) { return std::isfinite(value) && value > 0; });
  if (kept.empty()) {
    return;
  }
  const auto [least, most] = std::ranges::minmax(kept);
  high_ = most * kMargin;
  if (may_be_log && most > kLogFrom * least) {
    scale_ = Scale::kLog;
    low_ = least / 1.25;
    high_ = most * 1.25;
  }
}

double Axis::at(double value) const {
  const double held = std::clamp(value, low_, high_);
  const double share = scale_ == Scale::kLinear ? (held - low_) / (high_ - low_)
                                                : std::log(held / low_) / std::log(high_ / low_);
  return from_px_ + share * (to_px_ - from_px_);
}

std::vector<double> Axis::ticks() const {
  return scale_ == Scale::kLinear ? linear_ticks(high_) : log_ticks(low_, high_);
}

}  // namespace steelyard::report
