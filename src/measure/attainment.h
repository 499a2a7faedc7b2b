// The share of requests, and of output tokens, that met every threshold. Everything that was due
// counts in the denominator: a failure is a miss. By token it says more where long answers are the
// late ones: 90 short answers on time and 10 long ones late are 90 % of requests but may be a third
// of the tokens.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "measure/event_log.h"
#include "measure/request_metrics.h"

namespace steelyard::measure {

// Per-request upper limits, met when the value is strictly below; an absent limit is no limit.
struct Limits {
  std::optional<base::Nanos> ttft;
  std::optional<base::Nanos> ttfo;
  std::optional<double> tpot_ns;
  std::optional<double> itl_mean_ns;  // mean amortised ITL of the request
  std::optional<base::Nanos> e2e;
};

// A limit on a latency that the request does not have: TPOT and ITL of a one-token answer cannot be
// broken and pass; TTFT, TTFO and E2E that are absent were never delivered and fail.
// `metrics` are those of `log`.
[[nodiscard]] bool meets(const RequestLog& log, const RequestMetrics& metrics,
                         const Limits& limits);
[[nodiscard]] bool meets(const RequestLog& log, const Limits& limits);

struct Attainment {
  std::int64_t due = 0;
  std::int64_t met = 0;
  std::int64_t output_tokens = 0;  // of completed requests, as far as known
  std::int64_t good_output_tokens = 0;

  // One more that was due; `good`: it met the limits.
  void add(const RequestLog& log, bool good);
  void merge(const Attainment& other);
  // Absent when nothing was due, or no token was produced.
  [[nodiscard]] std::optional<double> requests() const;
  [[nodiscard]] std::optional<double> tokens() const;
};
[[nodiscard]] Attainment attainment_of(std::span<const RequestLog> logs, const Limits& limits);

// An exact (Clopper-Pearson) interval for the share of requests that would meet the limits in the
// long run: its ends are quantiles of the beta distribution, and its coverage is at least the
// confidence whatever the share (Clopper & Pearson, Biometrika 26, 1934). Requests are taken as
// independent. 0 <= met <= due; confidence in (0, 1). Absent when nothing was due.
struct ShareInterval {
  double low = 0;
  double high = 1;
};
[[nodiscard]] std::optional<ShareInterval> share_interval(std::int64_t met, std::int64_t due,
                                                          double confidence = 0.95);

}  // namespace steelyard::measure
