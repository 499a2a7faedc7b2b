// What a run says, computed in one pass over its event logs.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string_view>

#include "measure/event_log.h"
#include "measure/percentile.h"

namespace steelyard::measure {

// In milliseconds. Every statistic is absent when n is 0; `std` is the sample deviation (n - 1) and
// absent when n < 2.
struct Distribution {
  std::int64_t n = 0;
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
[[nodiscard]] Distribution distribution_of(std::span<const double> samples_ms,
                                           std::span<const double> percents = {});

// The word for an outcome in JSON and reports: "completed", "refused", "rate_limited"...
[[nodiscard]] std::string_view name_of(Outcome outcome);
// "usage", "tokenizer", "chunks", "unknown".
[[nodiscard]] std::string_view name_of(TokenSource source);

struct Summary {
  std::int64_t due = 0;
  std::int64_t completed = 0;
  std::int64_t failed = 0;
  std::map<Outcome, std::int64_t> failures;
  // First send to last byte of anything, in seconds; absent when nothing was sent and answered.
  std::optional<double> duration_s;
  // Sums over completed requests; absent when no completed request's count is known.
  std::optional<std::int64_t> input_tokens;
  std::optional<std::int64_t> output_tokens;
  // Completed requests, and their output tokens, a second of `duration_s`.
  std::optional<double> request_throughput;
  std::optional<double> output_throughput;
  // The weakest source among the completed requests: a total is no surer than its parts.
  TokenSource token_source = TokenSource::kUnknown;
  Distribution ttft_ms;
  Distribution ttfo_ms;
  Distribution tpot_ms;
  Distribution itl_ms;  // amortised, one sample a token; neighbours are correlated
  Distribution icl_ms;
  Distribution e2e_ms;
  Distribution response_ttft_ms;
  Distribution response_e2e_ms;
  Distribution send_lag_ms;  // of every request, the failed ones too
};
[[nodiscard]] Summary summarise(std::span<const RequestLog> logs,
                                std::span<const double> percents = {});

}  // namespace steelyard::measure
