#include "measure/attainment.h"

#include <boost/math/distributions/beta.hpp>

#include "base/check.h"

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
  for_each_gap(log, [&](base::Nanos gap, std::uint32_t of_tokens) {
    sum += static_cast<double>(gap);
    tokens += of_tokens;
  });
  return tokens == 0 ? std::nullopt : std::optional(sum / static_cast<double>(tokens));
}

std::optional<double> share(std::int64_t part, std::int64_t whole) {
  return whole == 0 ? std::nullopt
                    : std::optional(static_cast<double>(part) / static_cast<double>(whole));
}

}  // namespace

bool meets(const RequestLog& log, const Limits& limits) {
  return meets(log, metrics_of(log), limits);
}

bool meets(const RequestLog& log, const RequestMetrics& metrics, const Limits& limits) {
  if (log.outcome != Outcome::kCompleted) {
    return false;
  }
  return must_be_below(metrics.ttft, limits.ttft) && must_be_below(metrics.ttfo, limits.ttfo) &&
         must_be_below(metrics.e2e, limits.e2e) &&
         may_be_absent_or_below(metrics.tpot_ns, limits.tpot_ns) &&
         (!limits.itl_mean_ns || may_be_absent_or_below(mean_itl(log), limits.itl_mean_ns));
}

std::optional<double> Attainment::requests() const { return share(met, due); }
std::optional<double> Attainment::tokens() const {
  return share(good_output_tokens, output_tokens);
}

void Attainment::add(const RequestLog& log, bool good) {
  const std::int64_t tokens =
      log.outcome == Outcome::kCompleted ? log.output_tokens.value_or(0) : 0;
  ++due;
  met += good ? 1 : 0;
  output_tokens += tokens;
  good_output_tokens += good ? tokens : 0;
}

void Attainment::merge(const Attainment& other) {
  due += other.due;
  met += other.met;
  output_tokens += other.output_tokens;
  good_output_tokens += other.good_output_tokens;
}

Attainment attainment_of(std::span<const RequestLog> logs, const Limits& limits) {
  Attainment sum;
  for (const RequestLog& log : logs) {
    sum.add(log, meets(log, limits));
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
