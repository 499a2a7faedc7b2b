#include "measure/request_series.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "measure/effective_n.h"

namespace steelyard::measure {
namespace {

constexpr std::uint16_t kAbsent = std::numeric_limits<std::uint16_t>::max();
static_assert(Histogram::bucket_of(Histogram::kLargest) < kAbsent);

std::uint16_t code_of(std::optional<base::Nanos> value) {
  return value ? static_cast<std::uint16_t>(Histogram::bucket_of(*value)) : kAbsent;
}

std::optional<base::Nanos> rounded(std::optional<double> value_ns) {
  return value_ns ? std::optional(base::Nanos{std::llround(*value_ns)}) : std::nullopt;
}

}  // namespace

std::optional<base::Nanos> RequestSeries::Row::value(PerRequest metric) const {
  const std::uint16_t code = codes[static_cast<std::size_t>(metric)];
  return code == kAbsent ? std::nullopt : std::optional(Histogram::middle_of(code));
}

void RequestSeries::add(const RequestLog& log, const RequestMetrics& metrics) {
  if (log.index < 0 || log.index >= static_cast<std::int64_t>(kMost)) {
    return;
  }
  const auto at = static_cast<std::size_t>(log.index);
  if (at >= rows_.size()) {
    rows_.resize(at + 1);
  }
  origin_ = origin_.value_or(log.sent_at);
  Row& row = rows_[at];
  row.sent_ms = static_cast<std::int32_t>((log.sent_at - *origin_) / base::kMillisecond);
  row.output_tokens = static_cast<std::uint32_t>(log.output_tokens.value_or(0));
  row.present = true;
  row.completed = log.outcome == Outcome::kCompleted;
  row.codes = {
      code_of(metrics.ttft),    code_of(metrics.ttfo),          code_of(rounded(metrics.tpot_ns)),
      code_of(metrics.e2e),     code_of(metrics.response_ttft), code_of(metrics.response_e2e),
      code_of(metrics.send_lag)};
}

void RequestSeries::append(const RequestSeries& other) {
  if (other.rows_.empty()) {
    return;
  }
  origin_ = origin_ ? origin_ : other.origin_;
  const auto later = static_cast<std::int32_t>((*other.origin_ - *origin_) / base::kMillisecond);
  const std::size_t room = kMost - rows_.size();
  for (std::size_t i = 0; i < std::min(room, other.rows_.size()); ++i) {
    rows_.push_back(other.rows_[i]);
    rows_.back().sent_ms += later;
  }
}

std::optional<double> RequestSeries::time_of_mean(PerRequest metric) const {
  std::vector<float> series;
  series.reserve(rows_.size());
  for (const Row& row : rows_) {
    const auto value = row.present ? row.value(metric) : std::nullopt;
    if (value) {
      series.push_back(static_cast<float>(*value));
    }
  }
  return autocorrelation_time(series);
}

std::optional<double> RequestSeries::time_of_share(PerRequest metric, double at_least_ns,
                                                   Failures failures) const {
  const std::size_t threshold = Histogram::bucket_of(std::llround(std::max(at_least_ns, 0.0)));
  std::vector<float> series;
  series.reserve(rows_.size());
  for (const Row& row : rows_) {
    if (row.present && !row.completed && failures == Failures::kInfinite) {
      series.push_back(1);
    } else if (const std::uint16_t code = row.codes[static_cast<std::size_t>(metric)];
               row.present && code != kAbsent) {
      series.push_back(code >= threshold ? 1 : 0);
    }
  }
  return autocorrelation_time(series);
}

}  // namespace steelyard::measure
