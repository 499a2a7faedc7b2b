// What a run says.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string_view>

#include "measure/distribution.h"
#include "measure/event_log.h"

namespace steelyard::measure {

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
  // The same with each failed request as one that never answers.
  WithFailures ttft_with_failures_ms;
  WithFailures e2e_with_failures_ms;
  Distribution response_ttft_ms;
  Distribution response_e2e_ms;
  Distribution send_lag_ms;  // of every request, the failed ones too
};
// Of logs that are at hand; `RunFigures` keeps none.
[[nodiscard]] Summary summarise(std::span<const RequestLog> logs,
                                std::span<const double> percents = {});

}  // namespace steelyard::measure
