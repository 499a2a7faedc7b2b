// One term of a service level, METRIC[.mean|.pNN]<VALUE UNIT, and the share of requests that must
// meet the per-request ones.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/error.h"

namespace steelyard::quantity {

enum class Metric : std::uint8_t { kTtft, kTtfo, kTpot, kItl, kE2e };
[[nodiscard]] std::string_view name_of(Metric metric);

// "ttft<500ms" is a threshold for each request. "ttft.p99<500ms" is the same threshold with a
// target of 99 %: P99 is below T exactly when at least 99 % of the requests are. "e2e.mean<2s" is a
// bound on the run and no request's own.
struct SlaTerm {
  enum class Statistic : std::uint8_t { kEach, kMean, kPercentile };
  Metric metric = Metric::kTtft;
  Statistic statistic = Statistic::kEach;
  double percentile = 0;  // 99 for p99; only with kPercentile
  base::Nanos threshold = 0;

  // The share of requests this term asks for by itself: 0.99 for p99.
  [[nodiscard]] std::optional<double> target() const;
};

[[nodiscard]] base::Result<SlaTerm> parse_sla_term(const std::string& where, std::string_view text);
// vLLM's --goodput form, "ttft:500": milliseconds, a threshold for each request. "e2el" is E2E.
[[nodiscard]] base::Result<SlaTerm> parse_goodput_term(const std::string& where,
                                                       std::string_view text);
[[nodiscard]] std::string to_text(const SlaTerm& term);

// "99%" or "99.9 %": a share in (0, 1].
[[nodiscard]] base::Result<double> parse_share(const std::string& where, std::string_view text);

}  // namespace steelyard::quantity
