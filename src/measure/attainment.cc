#include "measure/attainment.h"

#include <boost/math/distributions/beta.hpp>

#include "base/check.h"
#include "measure/request_metrics.h"

namespace steelyard::measure {
namespace {

template <typename Value>
bool must_be_below(const std::optional<Value>& value, const std::optional<Value>& limit) {
  return !limit || (value && *value < *limit);
}

template <typename Value>
bool may_be_absent_or_below(const std::optional<Value>& value, const std::optional<Value>& limit) {
  return !limit || !value || *value < *limit;
}

std::optional<double> mean_itl(const RequestLog& log) {
  double sum = 0;
  std::int64_t tokens = 0;
  for (const ItlSample& sample : amortised_itl(log)) {
    sum += sample.gap_ns * sample.tokens;
    tokens += sample.tokens;
  }
  return tokens == 0 ? std::nullopt : std::optional(sum / static_cast<double>(tokens));
}

std::optional<double> share(std::int64_t part, std::int64_t whole) {
  return whole == 0 ? std::nullopt
                    : std::optional(static_cast<double>(part) / static_cast<double>(whole));
}

}  // namespace

bool meets(const RequestLog& log, const Limits& limits) {
  if (log.outcome != Outcome::kCompleted) {
    return false;
  }
  const RequestMetrics metrics = metrics_of(log);
  return must_be_below(metrics.ttft, limits.ttft) && must_be_below(metrics.ttfo, limits.ttfo) &&
         must_be_below(metrics.e2e, limits.e2e) &&
         may_be_absent_or_below(metrics.tpot_ns, limits.tpot_ns) &&
         (!limits.itl_mean_ns || may_be_absent_or_below(mean_itl(log), limits.itl_mean_ns));
}

std::optional<double> Attainment::requests() const { return share(met, due); }
std::optional<double> Attainment::tokens() const {
  return share(good_output_tokens, output_tokens);
}

Attainment attainment_of(std::span<const RequestLog> logs, const Limits& limits) {
  Attainment sum;
  for (const RequestLog& log : logs) {
    ++sum.due;
    const bool good = meets(log, limits);
    const std::int64_t tokens =
        log.outcome == Outcome::kCompleted ? log.output_tokens.value_or(0) : 0;
    sum.met += good ? 1 : 0;
    sum.output_tokens += tokens;
    sum.good_output_tokens += good ? tokens : 0;
  }
  return sum;
}

std::optional<ShareInterval> share_interval(std::int64_t met, std::int64_t due, double confidence) {
  STEELYARD_CHECK(0 <= met && met <= due && confidence > 0 && confidence < 1,
                  "a part of a whole, and a confidence below 1");
  if (due == 0) {
    return std::nullopt;
  }
  const auto hits = static_cast<double>(met);
  const auto misses = static_cast<double>(due - met);
  const double tail = (1 - confidence) / 2;
  ShareInterval interval;
  if (met > 0) {
    interval.low = quantile(boost::math::beta_distribution<>(hits, misses + 1), tail);
  }
  if (met < due) {
    interval.high = quantile(complement(boost::math::beta_distribution<>(hits + 1, misses), tail));
  }
  return interval;
}

}  // namespace steelyard::measure
