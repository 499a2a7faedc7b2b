// What went through the platform while a step lasted: how many were out, what was sent and
// answered, how many tokens came. Rates are of the window from settling to the finding; what
// follows is the way out.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "measure/flow.h"
#include "measure/request_metrics.h"

namespace steelyard::study {

class StepFlow {
 public:
  // The first send. Again where the run begins anew.
  void begin(base::Nanos at);
  // What was seen until then counts for nothing.
  void settle(base::Nanos at);
  // The end of the window.
  void close(base::Nanos at) { closed_at_ = at; }

  // At even times, `out`: requests sent and not ended.
  void saw(base::Nanos now, std::int64_t out) { samples_.push_back({now, out}); }
  // In order of ending. `metrics` are those of `log`.
  void ended(const measure::RequestLog& log, const measure::RequestMetrics& metrics);

  [[nodiscard]] base::Nanos began_at() const { return began_; }  // 0 before it
  [[nodiscard]] const std::optional<base::Nanos>& settled_at() const { return settled_at_; }
  // Whether what was sent then is of the step's figures.
  [[nodiscard]] bool counts(base::Nanos sent_at) const {
    return !settled_at_ || sent_at >= *settled_at_;
  }
  // Mean number out in [from, to); 0 where nobody looked.
  [[nodiscard]] double mean_out_between(base::Nanos from, base::Nanos to) const;

  // From settling on; all of it where it never settled.
  [[nodiscard]] base::Nanos window() const;
  [[nodiscard]] base::Nanos settling() const { return settled_at_ ? *settled_at_ - began_ : 0; }
  // Of the window; absent where it has no length, or nobody looked.
  [[nodiscard]] std::optional<double> completed_per_s() const;
  [[nodiscard]] std::optional<double> sent_per_s() const;
  [[nodiscard]] std::optional<double> mean_out() const;
  [[nodiscard]] measure::Flow flow() const;

 private:
  struct Sample {
    base::Nanos at;
    std::int64_t out;
  };
  [[nodiscard]] base::Nanos from() const { return settled_at_.value_or(began_); }
  [[nodiscard]] base::Nanos to() const;
  [[nodiscard]] std::optional<double> per_second(std::int64_t count) const;

  base::Nanos began_ = 0;
  std::optional<base::Nanos> settled_at_;
  std::optional<base::Nanos> closed_at_;
  std::vector<Sample> samples_;
  std::vector<measure::Passage> passages_;
  std::int64_t completed_ = 0;
  std::int64_t sent_ = 0;
};

}  // namespace steelyard::study
