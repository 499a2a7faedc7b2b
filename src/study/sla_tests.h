// Is the SLA met, asked after every request as it ends. Each percentile term has a share of its own
// to be reached; the per-request terms have one all together; a mean is held against its interval.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "measure/attainment.h"
#include "measure/moments.h"
#include "measure/request_metrics.h"
#include "measure/share_test.h"
#include "study/sla_gate.h"

namespace steelyard::study {

class SlaTests {
 public:
  // `confidence` in (0, 1), of each answer.
  SlaTests(const Sla& sla, double confidence);

  // `metrics` are those of `log`.
  void add(const measure::RequestLog& log, const measure::RequestMetrics& metrics);

  // Whether there is anything to meet.
  [[nodiscard]] bool asked() const { return !shares_.empty() || !means_.empty(); }
  // What is surely missed; absent: nothing yet.
  [[nodiscard]] std::optional<Reason> missed() const;
  [[nodiscard]] bool all_reached() const;
  // What the answer would be if there had to be one.
  [[nodiscard]] bool leans_met() const;
  // Of those sent since then more missed than a target and luck allow for.
  [[nodiscard]] bool worse_since(base::Nanos since) const;
  // The share that decides.
  [[nodiscard]] Reason shares() const;

 private:
  // A share of the requests that must meet limits.
  struct Share {
    std::string text;
    measure::Limits limits;
    measure::ShareTest test;
  };
  // A bound on a mean.
  struct Mean {
    quantity::SlaTerm term;
    measure::Moments seen{};
    // Of the mean, 99 %; absent with fewer than 20.
    [[nodiscard]] std::optional<double> margin() const;
  };
  struct Mark {
    base::Nanos sent_at;
    std::uint64_t missed;  // a bit for each of `shares_`
  };

  std::vector<Share> shares_;
  std::vector<Mean> means_;
  std::vector<Mark> marks_;
};

}  // namespace steelyard::study
