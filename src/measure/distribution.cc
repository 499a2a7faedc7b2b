#include "measure/distribution.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace steelyard::measure {
namespace {

constexpr double kNanosPerMs = 1e6;

std::optional<double> effective_n(std::size_t n, std::optional<double> time) {
  return time ? std::optional(std::max(1.0, static_cast<double>(n) / *time)) : std::nullopt;
}

// Of n samples that are worth fewer: the same shares of them.
RankInterval widened_ranks(double q, std::size_t n, std::optional<double> worth) {
  if (!worth) {
    return rank_interval(q, n);
  }
  const auto fewer = std::max<std::size_t>(1, static_cast<std::size_t>(*worth));
  const double each = static_cast<double>(n) / static_cast<double>(fewer);
  RankInterval ranks = rank_interval(q, fewer);
  const auto scaled = [&](std::size_t rank, double (*round)(double)) {
    const double in_all = round(static_cast<double>(rank) * each);
    return std::clamp(static_cast<std::size_t>(in_all), std::size_t{1}, n);
  };
  if (ranks.low) {
    ranks.low = scaled(*ranks.low, std::floor);
  }
  if (ranks.high) {
    ranks.high = scaled(*ranks.high, std::ceil);
  }
  return ranks;
}

// The samples in order with `failed` more at infinity.
class Ordered {
 public:
  Ordered(const Samples& samples, std::int64_t failed, const CorrelationTime& time)
      : ranked_(samples), n_(ranked_.size() + static_cast<std::size_t>(failed)), time_(time) {}

  [[nodiscard]] WithFailures::Value at(double q) const {
    const std::size_t rank = nearest_rank(q, n_);
    const auto time = time_ ? time_(value_ns(rank)) : std::nullopt;
    WithFailures::Value result;
    result.n_effective = effective_n(n_, time);
    const RankInterval ranks = widened_ranks(q, n_, result.n_effective);
    result.value = in_ms(rank);
    result.low = ranks.low ? in_ms(*ranks.low) : std::nullopt;
    result.high = ranks.high ? in_ms(*ranks.high) : std::nullopt;
    return result;
  }
  // Where nothing failed.
  [[nodiscard]] Percentile finite(double q) const {
    const WithFailures::Value value = at(q);
    return {*value.value, value.low, value.high, value.n_effective};
  }
  [[nodiscard]] double value_ns(std::size_t rank) const {
    return rank <= ranked_.size() ? ranked_.at(rank) : std::numeric_limits<double>::infinity();
  }
  [[nodiscard]] std::size_t size() const { return n_; }

 private:
  [[nodiscard]] std::optional<double> in_ms(std::size_t rank) const {
    const double value = value_ns(rank);
    return std::isinf(value) ? std::nullopt : std::optional(value / kNanosPerMs);
  }

  Samples::Ranked ranked_;
  std::size_t n_;
  const CorrelationTime& time_;
};

}  // namespace

Distribution distribution_of(const Samples& samples, std::span<const double> percents,
                             const CorrelationTime& time) {
  Distribution result;
  result.n = samples.count();
  if (result.n == 0) {
    return result;
  }
  const Ordered ordered(samples, 0, time);
  const Moments moments = samples.moments();
  const auto deviation = moments.deviation();
  result.n_effective = effective_n(ordered.size(), time ? time(std::nullopt) : std::nullopt);
  result.relative_error = samples.exact() ? 0 : Histogram::kRelativeError;
  result.mean = moments.mean / kNanosPerMs;
  result.std = deviation ? std::optional(*deviation / kNanosPerMs) : std::nullopt;
  result.min = ordered.value_ns(1) / kNanosPerMs;
  result.max = ordered.value_ns(ordered.size()) / kNanosPerMs;
  result.p50 = ordered.finite(0.50);
  result.p90 = ordered.finite(0.90);
  result.p99 = ordered.finite(0.99);
  for (const double percent : percents) {
    result.others[percent] = ordered.finite(percent / 100);
  }
  return result;
}

std::optional<Percentile> percentile_of(const Samples& samples, double q,
                                        const CorrelationTime& time) {
  return samples.count() == 0 ? std::nullopt : std::optional(Ordered(samples, 0, time).finite(q));
}

WithFailures with_failures(const Samples& samples, std::int64_t failed,
                           std::span<const double> percents, const CorrelationTime& time) {
  WithFailures result;
  result.n = samples.count() + failed;
  result.failed = failed;
  if (result.n == 0) {
    return result;
  }
  const Ordered ordered(samples, failed, time);
  result.p50 = ordered.at(0.50);
  result.p90 = ordered.at(0.90);
  result.p99 = ordered.at(0.99);
  for (const double percent : percents) {
    result.others[percent] = ordered.at(percent / 100);
  }
  return result;
}

}  // namespace steelyard::measure
