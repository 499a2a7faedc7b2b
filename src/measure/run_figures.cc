#include "measure/run_figures.h"

#include <algorithm>
#include <functional>
#include <utility>

namespace steelyard::measure {
namespace {

template <typename Better>
void keep(std::optional<base::Nanos>& kept, std::optional<base::Nanos> value, Better better) {
  if (value && (!kept || better(*value, *kept))) {
    kept = value;
  }
}

void add_count(std::optional<std::int64_t>& sum, std::optional<std::int64_t> count) {
  if (count) {
    sum = sum.value_or(0) + *count;
  }
}

void add_time(Samples& samples, std::optional<base::Nanos> value) {
  if (value) {
    samples.add(static_cast<double>(*value));
  }
}

void add_rates(Summary& summary, base::Nanos span) {
  const double duration_s = base::to_seconds(span);
  summary.duration_s = duration_s;
  summary.request_throughput = static_cast<double>(summary.completed) / duration_s;
  if (summary.output_tokens) {
    summary.output_throughput = static_cast<double>(*summary.output_tokens) / duration_s;
  }
}

}  // namespace

void RunFigures::add(const RequestLog& log, const RequestMetrics& metrics) {
  count(log);
  keep(first_send_, log.sent_at, std::less<>{});
  keep(last_byte_, log.end_at, std::greater<>{});
  send_lag_.add(static_cast<double>(metrics.send_lag));
  series_.add(log, metrics);
  if (log.outcome == Outcome::kCompleted) {
    add_latencies(log, metrics);
  }
}

void RunFigures::count(const RequestLog& log) {
  ++counts_.due;
  if (log.outcome != Outcome::kCompleted) {
    ++counts_.failed;
    ++counts_.failures[log.outcome];
    return;
  }
  const bool first = counts_.completed == 0;
  counts_.token_source =
      first ? log.token_source : std::min(counts_.token_source, log.token_source);
  ++counts_.completed;
  add_count(counts_.input_tokens, log.input_tokens);
  add_count(counts_.output_tokens, log.output_tokens);
}

void RunFigures::add_latencies(const RequestLog& log, const RequestMetrics& metrics) {
  add_time(ttft_, metrics.ttft);
  add_time(ttfo_, metrics.ttfo);
  add_time(e2e_, metrics.e2e);
  add_time(response_ttft_, metrics.response_ttft);
  add_time(response_e2e_, metrics.response_e2e);
  if (metrics.tpot_ns) {
    tpot_.add(*metrics.tpot_ns);
  }
  if (!log.streamed) {
    return;
  }
  add_gaps(log);
}

// Chunks of one read have no time between them: equal gaps in a row are taken together.
void RunFigures::add_gaps(const RequestLog& log) {
  base::Nanos same_gap = 0;
  std::uint32_t same_tokens = 0;
  std::uint32_t count = 0;
  const auto add_same = [&] {
    const auto gap_ns = static_cast<double>(same_gap);
    icl_.add(gap_ns, count);
    itl_.add(same_tokens == 1 ? gap_ns : gap_ns / same_tokens, count * same_tokens);
  };
  for_each_gap(log, [&](base::Nanos gap, std::uint32_t tokens) {
    if (count > 0 && (gap != same_gap || tokens != same_tokens)) {
      add_same();
      count = 0;
    }
    same_gap = gap;
    same_tokens = tokens;
    ++count;
  });
  if (count > 0) {
    add_same();
  }
}

void RunFigures::merge(const RunFigures& other) {
  const Summary& more = other.counts_;
  if (more.completed > 0) {
    counts_.token_source = counts_.completed == 0
                               ? more.token_source
                               : std::min(counts_.token_source, more.token_source);
  }
  counts_.due += more.due;
  counts_.completed += more.completed;
  counts_.failed += more.failed;
  for (const auto& [outcome, n] : more.failures) {
    counts_.failures[outcome] += n;
  }
  add_count(counts_.input_tokens, more.input_tokens);
  add_count(counts_.output_tokens, more.output_tokens);
  keep(first_send_, other.first_send_, std::less<>{});
  keep(last_byte_, other.last_byte_, std::greater<>{});
  series_.append(other.series_);
  for (const auto samples :
       {&RunFigures::ttft_, &RunFigures::ttfo_, &RunFigures::tpot_, &RunFigures::itl_,
        &RunFigures::icl_, &RunFigures::e2e_, &RunFigures::response_ttft_,
        &RunFigures::response_e2e_, &RunFigures::send_lag_}) {
    (this->*samples).merge(other.*samples);
  }
}

CorrelationTime RunFigures::time_of(PerRequest metric, RequestSeries::Failures failures) const {
  return [this, metric, failures](std::optional<double> at_least_ns) {
    return at_least_ns ? series_.time_of_share(metric, *at_least_ns, failures)
                       : series_.time_of_mean(metric);
  };
}

// Gaps of one request hang together, and so do those of requests that ran at once. The mean gap is
// about the mean TPOT, so its relative variance is that of TPOT's mean; how many independent gaps
// would have that variance follows. What holds for the mean is taken for the percentiles.
CorrelationTime RunFigures::time_of_gaps(const Samples& gaps) const {
  const Moments each = gaps.moments();
  const Moments tpot = tpot_.moments();
  const auto time = series_.time_of_mean(PerRequest::kTpot);
  if (!time || each.squares <= 0 || tpot.squares <= 0 || each.mean <= 0 || tpot.mean <= 0) {
    return {};
  }
  const double of_mean = tpot.squares / tpot.n / (tpot.mean * tpot.mean) * (*time / tpot.n);
  const double of_each = each.squares / each.n / (each.mean * each.mean);
  return [gap_time = std::max(1.0, of_mean * each.n / of_each)](std::optional<double>) {
    return std::optional(gap_time);
  };
}

std::optional<double> RunFigures::p99_half_width() const {
  double widest = 0;
  for (const auto& [samples, metric] :
       {std::pair(&ttft_, PerRequest::kTtft), std::pair(&e2e_, PerRequest::kE2e)}) {
    if (samples->count() == 0 && metric == PerRequest::kTtft) {
      continue;  // nothing was streamed
    }
    const auto p99 =
        percentile_of(*samples, 0.99, time_of(metric, RequestSeries::Failures::kLeftOut));
    if (!p99 || p99->n_too_small() || p99->value <= 0) {
      return std::nullopt;
    }
    widest = std::max(widest, (*p99->high - *p99->low) / 2 / p99->value);
  }
  return widest;
}

Summary RunFigures::summary(std::span<const double> percents) const {
  constexpr auto kWithout = RequestSeries::Failures::kLeftOut;
  constexpr auto kWith = RequestSeries::Failures::kInfinite;
  const auto of = [&](const Samples& samples, PerRequest metric) {
    return distribution_of(samples, percents, time_of(metric, kWithout));
  };
  Summary summary = counts_;
  if (first_send_ && last_byte_ && *last_byte_ > *first_send_) {
    add_rates(summary, *last_byte_ - *first_send_);
  }
  summary.ttft_ms = of(ttft_, PerRequest::kTtft);
  summary.ttfo_ms = of(ttfo_, PerRequest::kTtfo);
  summary.tpot_ms = of(tpot_, PerRequest::kTpot);
  summary.itl_ms = distribution_of(itl_, percents, time_of_gaps(itl_));
  summary.icl_ms = distribution_of(icl_, percents, time_of_gaps(icl_));
  summary.e2e_ms = of(e2e_, PerRequest::kE2e);
  summary.ttft_with_failures_ms =
      with_failures(ttft_, counts_.failed, percents, time_of(PerRequest::kTtft, kWith));
  summary.e2e_with_failures_ms =
      with_failures(e2e_, counts_.failed, percents, time_of(PerRequest::kE2e, kWith));
  summary.response_ttft_ms = of(response_ttft_, PerRequest::kResponseTtft);
  summary.response_e2e_ms = of(response_e2e_, PerRequest::kResponseE2e);
  summary.send_lag_ms = of(send_lag_, PerRequest::kSendLag);
  return summary;
}

}  // namespace steelyard::measure
