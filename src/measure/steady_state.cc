#include "measure/steady_state.h"

#include <algorithm>
#include <limits>
#include <span>
#include <vector>

#include "measure/effective_n.h"

namespace steelyard::measure {
namespace {

using Row = RequestSeries::Row;

constexpr std::size_t kBatch = 5;
constexpr std::size_t kLeast = 100;  // completed requests: twenty batches
constexpr double kNanosPerMs = 1e6;

// Those that completed, in order of sending.
std::vector<Row> completed_of(const RequestSeries& series) {
  std::vector<Row> rows;
  for (const Row& row : series.rows()) {
    if (row.present && row.completed && row.value(PerRequest::kE2e)) {
      rows.push_back(row);
    }
  }
  return rows;
}

double sent_ms(const Row& row) { return row.sent_ms; }
double ended_ms(const Row& row) {
  return row.sent_ms + static_cast<double>(*row.value(PerRequest::kE2e)) / kNanosPerMs;
}

// How many of the first requests to cut off; absent where it does not settle in the first half.
std::optional<std::size_t> warm_up(std::span<const Row> rows, PerRequest metric) {
  std::vector<double> batches;
  for (std::size_t i = 0; i + kBatch <= rows.size(); i += kBatch) {
    double sum = 0;
    for (const Row& row : rows.subspan(i, kBatch)) {
      sum += static_cast<double>(row.value(metric).value_or(0));
    }
    batches.push_back(sum / kBatch);
  }
  // From the back: the deviations of what remains after each cut, in one pass.
  Moments rest;
  const std::size_t most = batches.size() / 2;
  std::size_t best = batches.size();
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t cut = batches.size(); cut-- > 0;) {
    rest.merge({1, batches[cut], 0});
    const double doubt = rest.squares / (rest.n * rest.n);
    if (cut <= most && doubt <= least) {
      least = doubt;
      best = cut;
    }
  }
  return best >= most ? std::nullopt : std::optional(best * kBatch);
}

std::size_t out_at_last_send(std::span<const Row> rows) {
  double last = 0;
  for (const Row& row : rows) {
    last = std::max(last, sent_ms(row));
  }
  return static_cast<std::size_t>(
      std::ranges::count_if(rows, [&](const Row& row) { return ended_ms(row) > last; }));
}

Distribution distribution_in(std::span<const Row> rows, PerRequest metric) {
  Samples samples;
  std::vector<float> values;
  for (const Row& row : rows) {
    if (const auto value = row.value(metric)) {
      samples.add(static_cast<double>(*value));
      values.push_back(static_cast<float>(*value));
    }
  }
  const CorrelationTime time = [&](std::optional<double> at_least_ns) {
    std::vector<float> series = values;
    if (at_least_ns) {
      const auto least = static_cast<float>(*at_least_ns);
      std::ranges::for_each(series, [&](float& value) { value = value >= least ? 1 : 0; });
    }
    return autocorrelation_time(series);
  };
  Distribution result = distribution_of(samples, {}, time);
  result.relative_error = Histogram::kRelativeError;
  return result;
}

void add_rates(SteadyState& steady, std::span<const Row> all, double from, double to) {
  double tokens = 0;
  double ended = 0;
  for (const Row& row : all) {
    const double end = ended_ms(row);
    const auto ttft = row.value(PerRequest::kTtft);
    const double first = ttft ? sent_ms(row) + static_cast<double>(*ttft) / kNanosPerMs : end;
    ended += end >= from && end < to ? 1 : 0;
    if (end > first) {
      const double within = std::min(end, to) - std::max(first, from);
      tokens += row.output_tokens * std::max(within, 0.0) / (end - first);
    } else {
      tokens += end >= from && end < to ? row.output_tokens : 0;
    }
  }
  steady.output_throughput = tokens / (to - from) * 1e3;
  steady.request_throughput = ended / (to - from) * 1e3;
}

SteadyState none(std::string_view reason) {
  SteadyState steady;
  steady.reason = reason;
  return steady;
}

}  // namespace

SteadyState steady_state_of(const RequestSeries& series) {
  const std::vector<Row> rows = completed_of(series);
  if (rows.size() < kLeast) {
    return none("fewer than 100 requests completed");
  }
  const auto by_e2e = warm_up(rows, PerRequest::kE2e);
  const bool streamed = rows.front().value(PerRequest::kTtft).has_value();
  const auto by_ttft = streamed ? warm_up(rows, PerRequest::kTtft) : by_e2e;
  if (!by_e2e || !by_ttft) {
    return none("latency did not settle within the first half of the run");
  }
  const std::size_t first = std::max(*by_e2e, *by_ttft);
  const std::size_t tail = out_at_last_send(rows);
  if (first + tail + kLeast > rows.size()) {
    return none("fewer than 100 requests are left between the beginning and the drain");
  }
  const std::span<const Row> within = std::span(rows).subspan(first, rows.size() - tail - first);
  SteadyState steady;
  const double from = sent_ms(within.front());
  const double to = sent_ms(within.back());
  if (to <= from) {
    return none("all were sent at once");
  }
  double start = from;
  for (const Row& row : rows) {
    start = std::min(start, sent_ms(row));
  }
  steady.found = true;
  steady.from_s = (from - start) / 1e3;
  steady.to_s = (to - start) / 1e3;
  steady.requests = static_cast<std::int64_t>(within.size());
  steady.before = static_cast<std::int64_t>(first);
  steady.after = static_cast<std::int64_t>(tail);
  steady.ttft_ms = distribution_in(within, PerRequest::kTtft);
  steady.tpot_ms = distribution_in(within, PerRequest::kTpot);
  steady.e2e_ms = distribution_in(within, PerRequest::kE2e);
  add_rates(steady, rows, from, to);
  return steady;
}

}  // namespace steelyard::measure
