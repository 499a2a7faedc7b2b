// The service level as a gate: is it met by what was measured, and if not, by which term.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "measure/attainment.h"
#include "measure/summary.h"
#include "quantity/sla.h"

namespace steelyard::study {

struct Sla {
  std::vector<quantity::SlaTerm> terms;
  // Of requests that must meet the per-request terms (`ttft<500ms`), all of them at once. A
  // percentile term (`ttft.p99<500ms`) asks for its own share of its own threshold, and a mean term
  // (`e2e.mean<2s`) is a bound on the run.
  double target = 0.99;
};

// Every threshold that a single request can meet, the tightest of each metric: a token is good when
// its request met them all.
[[nodiscard]] measure::Limits limits_of(const Sla& sla);

struct Reason {
  std::string text_en;
  std::string text_zh;
};

struct SlaVerdict {
  bool met = false;  // false too when nothing completed
  measure::Attainment attainment;
  std::vector<Reason> reasons;  // what was missed, and by how much; else that all was met
};

// Counts who met what as requests end, so that none of them need be kept.
class SlaTally {
 public:
  explicit SlaTally(Sla sla = {});
  // `metrics` are those of `log`.
  void add(const measure::RequestLog& log, const measure::RequestMetrics& metrics);
  // Of a tally of the same SLA.
  void merge(const SlaTally& other);
  // Below every threshold that a single request can meet.
  [[nodiscard]] const measure::Attainment& good() const { return good_; }
  // `summary` is of the same requests.
  [[nodiscard]] SlaVerdict verdict(const measure::Summary& summary) const;

 private:
  // What a share of the requests must meet.
  struct Share {
    std::string text;
    measure::Limits limits;
    double target;
    measure::Attainment reached;
  };

  Sla sla_;
  measure::Limits limits_;
  measure::Attainment good_;
  std::vector<Share> shares_;  // of each percentile term, and last of all per-request terms at once
};

}  // namespace steelyard::study
