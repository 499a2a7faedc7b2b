// What is kept of a run's requests: sums and distributions, not the requests, so that memory is
// flat however long it lasts. Figures of parts are merged into those of the whole.
#pragma once

#include <optional>
#include <span>

#include "measure/event_log.h"
#include "measure/request_metrics.h"
#include "measure/request_series.h"
#include "measure/samples.h"
#include "measure/summary.h"

namespace steelyard::measure {

class RunFigures {
 public:
  // `metrics` are those of `log`. In any order.
  void add(const RequestLog& log, const RequestMetrics& metrics);
  void add(const RequestLog& log) { add(log, metrics_of(log)); }
  void merge(const RunFigures& other);

  // `percents` in (0, 100]: those wanted beside P50, P90 and P99.
  [[nodiscard]] Summary summary(std::span<const double> percents = {}) const;

  [[nodiscard]] std::int64_t due() const { return counts_.due; }
  [[nodiscard]] bool any(Outcome failure) const { return counts_.failures.contains(failure); }
  [[nodiscard]] std::optional<base::Nanos> first_send() const { return first_send_; }
  [[nodiscard]] std::optional<base::Nanos> last_byte() const { return last_byte_; }
  [[nodiscard]] const RequestSeries& series() const { return series_; }
  // Half the width of the P99's 95 % interval as a share of the P99, of TTFT or of E2E, whichever
  // is wider. Absent: it is not bounded. Costs milliseconds.
  [[nodiscard]] std::optional<double> p99_half_width() const;
  [[nodiscard]] const Samples& ttft() const { return ttft_; }
  [[nodiscard]] const Samples& tpot() const { return tpot_; }
  [[nodiscard]] const Samples& e2e() const { return e2e_; }

 private:
  void count(const RequestLog& log);
  [[nodiscard]] CorrelationTime time_of(PerRequest metric, RequestSeries::Failures failures) const;
  [[nodiscard]] CorrelationTime time_of_gaps(const Samples& gaps) const;
  void add_latencies(const RequestLog& log, const RequestMetrics& metrics);
  void add_gaps(const RequestLog& log);

  Summary counts_;  // the counts and sums of it alone
  std::optional<base::Nanos> first_send_;
  std::optional<base::Nanos> last_byte_;
  RequestSeries series_;
  Samples ttft_, ttfo_, tpot_, itl_, icl_, e2e_, response_ttft_, response_e2e_, send_lag_;
};

}  // namespace steelyard::measure
