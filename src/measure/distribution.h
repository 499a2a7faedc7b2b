// What is said of the samples of one latency.
#pragma once

#include <cstdint>
#include <functional>
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
  // What the mean is worth in independent samples; each percentile has its own. Absent: not known.
  std::optional<double> n_effective;
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

// What a caller waits for when a request that failed counts as one that never answers. An absent
// value is beyond every answer: it never comes.
struct WithFailures {
  struct Value {
    std::optional<double> value;
    std::optional<double> low;
    std::optional<double> high;  // absent: unbounded, or never
    std::optional<double> n_effective;
  };
  std::int64_t n = 0;       // the failed ones too
  std::int64_t failed = 0;  // of them
  std::optional<Value> p50;
  std::optional<Value> p90;
  std::optional<Value> p99;
  std::map<double, Value> others;
};

// The autocorrelation time of the share of samples at or above a value in nanoseconds, or of the
// mean where there is none. Absent: not known, and the samples are taken as independent.
using CorrelationTime = std::function<std::optional<double>(std::optional<double> at_least_ns)>;

// `percents` in (0, 100]: what is wanted beside P50, P90 and P99.
[[nodiscard]] Distribution distribution_of(const Samples& samples,
                                           std::span<const double> percents = {},
                                           const CorrelationTime& time = {});
// One of them alone, in milliseconds; q in (0, 1]. Absent when there are no samples.
[[nodiscard]] std::optional<Percentile> percentile_of(const Samples& samples, double q,
                                                      const CorrelationTime& time = {});
[[nodiscard]] WithFailures with_failures(const Samples& samples, std::int64_t failed,
                                         std::span<const double> percents = {},
                                         const CorrelationTime& time = {});

}  // namespace steelyard::measure
