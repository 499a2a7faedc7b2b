#include "measure/summary.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "measure/request_metrics.h"

namespace steelyard::measure {
namespace {

// Welford's running moments: subtracting large sums of squares would lose the deviation.
struct Moments {
  double mean = 0;
  double squares = 0;
};

Moments moments_of(std::span<const double> samples) {
  Moments moments;
  double n = 0;
  for (const double sample : samples) {
    n += 1;
    const double off = sample - moments.mean;
    moments.mean += off / n;
    moments.squares += off * (sample - moments.mean);
  }
  return moments;
}

class Samples {
 public:
  void add(std::optional<base::Nanos> value) {
    if (value) {
      values_ms_.push_back(base::to_ms(*value));
    }
  }
  void add_ns(double value, std::uint32_t times = 1) {
    values_ms_.insert(values_ms_.end(), times, value / 1e6);
  }
  [[nodiscard]] Distribution distribution(std::span<const double> percents) const {
    return distribution_of(values_ms_, percents);
  }

 private:
  std::vector<double> values_ms_;
};

struct Collected {
  Samples ttft, ttfo, tpot, itl, icl, e2e, response_ttft, response_e2e, send_lag;
  std::optional<base::Nanos> first_send, last_byte;
};

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

void collect_latencies(const RequestLog& log, Collected& all) {
  const RequestMetrics metrics = metrics_of(log);
  all.ttft.add(metrics.ttft);
  all.ttfo.add(metrics.ttfo);
  all.e2e.add(metrics.e2e);
  all.response_ttft.add(metrics.response_ttft);
  all.response_e2e.add(metrics.response_e2e);
  if (metrics.tpot_ns) {
    all.tpot.add_ns(*metrics.tpot_ns);
  }
  if (!log.streamed) {
    return;
  }
  for (const base::Nanos gap : inter_chunk_latencies(log)) {
    all.icl.add(gap);
  }
  for (const ItlSample& sample : amortised_itl(log)) {
    all.itl.add_ns(sample.gap_ns, sample.tokens);
  }
}

void count_request(const RequestLog& log, Summary& summary) {
  ++summary.due;
  if (log.outcome != Outcome::kCompleted) {
    ++summary.failed;
    ++summary.failures[log.outcome];
    return;
  }
  const bool first = summary.completed == 0;
  summary.token_source =
      first ? log.token_source : std::min(summary.token_source, log.token_source);
  ++summary.completed;
  add_count(summary.input_tokens, log.input_tokens);
  add_count(summary.output_tokens, log.output_tokens);
}

void rate_over(Summary& summary, const Collected& all) {
  if (!all.first_send || !all.last_byte || *all.last_byte <= *all.first_send) {
    return;
  }
  const double duration_s = base::to_seconds(*all.last_byte - *all.first_send);
  summary.duration_s = duration_s;
  summary.request_throughput = static_cast<double>(summary.completed) / duration_s;
  if (summary.output_tokens) {
    summary.output_throughput = static_cast<double>(*summary.output_tokens) / duration_s;
  }
}

}  // namespace

Distribution distribution_of(std::span<const double> samples_ms, std::span<const double> percents) {
  Distribution result;
  result.n = static_cast<std::int64_t>(samples_ms.size());
  if (samples_ms.empty()) {
    return result;
  }
  std::vector<double> sorted(samples_ms.begin(), samples_ms.end());
  std::sort(sorted.begin(), sorted.end());
  const Moments moments = moments_of(sorted);
  result.mean = moments.mean;
  if (result.n >= 2) {
    result.std = std::sqrt(moments.squares / static_cast<double>(result.n - 1));
  }
  result.min = sorted.front();
  result.max = sorted.back();
  result.p50 = percentile(sorted, 0.50);
  result.p90 = percentile(sorted, 0.90);
  result.p99 = percentile(sorted, 0.99);
  for (const double percent : percents) {
    result.others[percent] = *percentile(sorted, percent / 100);
  }
  return result;
}

std::string_view name_of(Outcome outcome) {
  switch (outcome) {
    case Outcome::kCompleted:
      return "completed";
    case Outcome::kRefused:
      return "refused";
    case Outcome::kRateLimited:
      return "rate_limited";
    case Outcome::kErrorInBand:
      return "error_in_band";
    case Outcome::kTruncated:
      return "truncated";
    case Outcome::kNoToken:
      return "no_token";
    case Outcome::kTimeout:
      return "timeout";
    case Outcome::kConnection:
      return "connection";
    case Outcome::kNotStreamed:
      return "not_streamed";
    case Outcome::kProtocol:
      break;
  }
  return "protocol";
}

std::string_view name_of(TokenSource source) {
  switch (source) {
    case TokenSource::kUsage:
      return "usage";
    case TokenSource::kTokenizer:
      return "tokenizer";
    case TokenSource::kChunks:
      return "chunks";
    case TokenSource::kUnknown:
      break;
  }
  return "unknown";
}

Summary summarise(std::span<const RequestLog> logs, std::span<const double> percents) {
  Summary summary;
  Collected all;
  for (const RequestLog& log : logs) {
    count_request(log, summary);
    keep(all.first_send, log.sent_at, std::less<>{});
    keep(all.last_byte, log.end_at, std::greater<>{});
    all.send_lag.add(log.sent_at - log.due_at);
    if (log.outcome == Outcome::kCompleted) {
      collect_latencies(log, all);
    }
  }
  rate_over(summary, all);
  summary.ttft_ms = all.ttft.distribution(percents);
  summary.ttfo_ms = all.ttfo.distribution(percents);
  summary.tpot_ms = all.tpot.distribution(percents);
  summary.itl_ms = all.itl.distribution(percents);
  summary.icl_ms = all.icl.distribution(percents);
  summary.e2e_ms = all.e2e.distribution(percents);
  summary.response_ttft_ms = all.response_ttft.distribution(percents);
  summary.response_e2e_ms = all.response_e2e.distribution(percents);
  summary.send_lag_ms = all.send_lag.distribution(percents);
  return summary;
}

}  // namespace steelyard::measure
