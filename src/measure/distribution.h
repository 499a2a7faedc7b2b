// What is said of the samples of one latency.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>

#include "measure/percentile.h"
#include "measure/samples.h"

namespace steelyard::measure {

// In milliseconds. Every statistic is absent when n is 0; `std` is the sample deviation (n - 1) and
// absent when n < 2.
struct Distribution {
  std::int64_t n = 0;
  double relative_error = 0;  // of the percentiles; 0: they are samples as measured
  std::optional<double> mean;
  std::optional<double> std;
  std::optional<double> min;
  std::optional<double> max;
  std::optional<Percentile> p50;
  std::optional<Percentile> p90;
  std::optional<Percentile> p99;
  std::map<double, Percentile> others;  // by percent, where asked for: 95 for P95
};
// `percents` in (0, 100]: what is wanted beside P50, P90 and P99.
[[nodiscard]] Distribution distribution_of(const Samples& samples,
                                           std::span<const double> percents = {});

}  // namespace steelyard::measure
