#include "measure/run_figures.h"

#include <algorithm>
#include <functional>

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
  for_each_gap(log, [this](base::Nanos gap, std::uint32_t tokens) {
    const auto gap_ns = static_cast<double>(gap);
    icl_.add(gap_ns);
    itl_.add(tokens == 1 ? gap_ns : gap_ns / tokens, tokens);
  });
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
  for (const auto samples :
       {&RunFigures::ttft_, &RunFigures::ttfo_, &RunFigures::tpot_, &RunFigures::itl_,
        &RunFigures::icl_, &RunFigures::e2e_, &RunFigures::response_ttft_,
        &RunFigures::response_e2e_, &RunFigures::send_lag_}) {
    (this->*samples).merge(other.*samples);
  }
}

Summary RunFigures::summary(std::span<const double> percents) const {
  Summary summary = counts_;
  if (first_send_ && last_byte_ && *last_byte_ > *first_send_) {
    add_rates(summary, *last_byte_ - *first_send_);
  }
  summary.ttft_ms = distribution_of(ttft_, percents);
  summary.ttfo_ms = distribution_of(ttfo_, percents);
  summary.tpot_ms = distribution_of(tpot_, percents);
  summary.itl_ms = distribution_of(itl_, percents);
  summary.icl_ms = distribution_of(icl_, percents);
  summary.e2e_ms = distribution_of(e2e_, percents);
  summary.response_ttft_ms = distribution_of(response_ttft_, percents);
  summary.response_e2e_ms = distribution_of(response_e2e_, percents);
  summary.send_lag_ms = distribution_of(send_lag_, percents);
  return summary;
}

}  // namespace steelyard::measure
