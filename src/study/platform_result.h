// What was measured of one platform, judged and priced, and the order of several.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "measure/certificate.h"
#include "measure/summary.h"
#include "price/offer.h"
#include "study/endpoint_figures.h"
#include "study/sla_gate.h"
#include "study/suite.h"

namespace steelyard::study {

// Of the ranking's currency.
struct CostResult {
  price::CostBill bill;   // in the offer's own currency
  quantity::Money total;  // converted
  std::optional<double> per_million_output_tokens;
  std::optional<double> cptls;
  std::optional<double> cptls_low;  // 95 %, over requests
  std::optional<double> cptls_high;
  // The published formula, which is no money: currency * s / token. By time only.
  std::optional<double> published_index;
};

struct PlatformResult {
  std::string name;
  std::optional<std::int64_t> rank;  // absent when not feasible
  bool emulated = false;
  bool feasible = false;
  std::vector<Reason> reasons;
  measure::RunFigures figures;
  measure::Summary summary;  // its duration is the window below, not the span from first to last
  base::Nanos window = 0;    // the sum of its blocks, each from first send to last byte
  SlaVerdict verdict;
  std::optional<CostResult> cost;  // absent when it cannot be known
  std::optional<double> throughput_low;
  std::optional<double> throughput_high;
  std::map<measure::Outcome, std::string> failure_examples;
  measure::Certificate certificate;
};

// What resampling needs of a request.
struct RequestShare {
  bool completed = false;
  bool timed_out = false;
  bool met = false;  // every per-request term
  std::optional<std::int64_t> input_tokens;
  std::optional<std::int64_t> output_tokens;
  base::Nanos held = 0;  // from the send to the last byte that came
};

// What the rounds left of one platform.
struct Measured {
  EndpointFigures figures;
  std::vector<RequestShare> requests;
  base::Nanos window = 0;  // the sum of its blocks
  measure::ClientHealth health;
  bool emulated = false;
  std::optional<base::Error> gave_up;  // not asked again after that
  bool interrupted = false;            // the evaluation was, before all of its rounds

  Measured() = default;
  explicit Measured(const Sla& sla) : figures(sla) {}
  // `limits` are those of its SLA.
  void keep_share(const measure::RequestLog& log, const measure::Limits& limits);
};

// `self_test`: of the client, where one was made.
[[nodiscard]] PlatformResult conclude(const Suite& suite, const SuitePlatform& platform,
                                      Measured measured,
                                      const std::optional<measure::SelfTest>& self_test = {});

// By CPTLS, and each that is feasible gets its rank; then those that are no choice, the cheapest
// first.
void rank(std::vector<PlatformResult>& platforms);

}  // namespace steelyard::study
