// The service level as a gate: is it met by what was measured, and if not, by which term.
#pragma once

#include <optional>
#include <span>
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

[[nodiscard]] SlaVerdict judge(const Sla& sla, std::span<const measure::RequestLog> logs,
                               const measure::Summary& summary);

}  // namespace steelyard::study
