#include "measure/effective_n.h"

#include <algorithm>
#include <vector>

namespace steelyard::measure {
namespace {

constexpr std::size_t kMostPoints = 2048;

struct Centred {
  std::vector<double> values;
  double variance = 0;
};

// Means of batches of `size`, less the mean of all; what does not fill a batch is left out.
Centred batches_of(std::span<const float> series, std::size_t size) {
  Centred centred;
  centred.values.resize(series.size() / size);
  double mean = 0;
  for (std::size_t i = 0; i < centred.values.size(); ++i) {
    double sum = 0;
    for (const float value : series.subspan(i * size, size)) {
      sum += value;
    }
    centred.values[i] = sum / static_cast<double>(size);
    mean += centred.values[i];
  }
  const auto count = static_cast<double>(centred.values.size());
  mean /= count;
  for (double& value : centred.values) {
    value -= mean;
    centred.variance += value * value / count;
  }
  return centred;
}

double autocovariance(std::span<const double> values, std::size_t lag) {
  double sum = 0;
  for (std::size_t i = lag; i < values.size(); ++i) {
    sum += values[i] * values[i - lag];
  }
  return sum / static_cast<double>(values.size());
}

// n times the variance of the mean.
double long_run_variance(const Centred& centred) {
  double sum = 0;
  double before = 2 * centred.variance;  // no pair can be larger
  for (std::size_t lag = 0; lag + 1 < centred.values.size(); lag += 2) {
    const double pair =
        autocovariance(centred.values, lag) + autocovariance(centred.values, lag + 1);
    if (pair <= 0) {
      break;
    }
    before = std::min(before, pair);
    sum += before;
  }
  return 2 * sum - centred.variance;
}

}  // namespace

std::optional<double> autocorrelation_time(std::span<const float> series) {
  if (series.size() < kLeastForEffectiveN) {
    return std::nullopt;
  }
  const double variance = batches_of(series, 1).variance;
  if (variance <= 0) {
    return 1;
  }
  const std::size_t size = (series.size() + kMostPoints - 1) / kMostPoints;
  const double of_batches = long_run_variance(batches_of(series, size));
  return std::max(1.0, static_cast<double>(size) * of_batches / variance);
}

}  // namespace steelyard::measure
