// Several platforms measured on one workload, in turn, and ranked by what a million good output
// tokens cost. A good token belongs to a request that met every per-request term of the SLA; a
// platform that misses the SLA is no choice, however cheap, and stands below with the reason.
#pragma once

#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "measure/certificate.h"
#include "measure/summary.h"
#include "price/cptls.h"
#include "store/store.h"
#include "study/endpoint_run.h"
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
  std::vector<measure::RequestLog> logs;
  measure::Summary summary;  // its duration is the window below, not the span from first to last
  base::Nanos window = 0;    // the sum of its blocks, each from first send to last byte
  SlaVerdict verdict;
  std::optional<CostResult> cost;  // absent when it cannot be known
  std::optional<double> throughput_low;
  std::optional<double> throughput_high;
  std::map<measure::Outcome, std::string> failure_examples;
  measure::Certificate certificate;
};

struct Evaluation {
  Suite suite;
  std::string run_id;
  base::Nanos started_at = 0;  // since 1970
  base::Nanos ended_at = 0;
  bool interrupted = false;
  std::vector<PlatformResult> platforms;  // ranked; those that are no choice come last
  std::vector<Reason> notes;              // the suite's, and what was left out
};

class EvaluationRun {
 public:
  explicit EvaluationRun(Suite suite) : suite_(std::move(suite)) {}

  // Blocks. `store` may be null. A platform that cannot be reached becomes a row with the reason;
  // when none can, that is the error.
  [[nodiscard]] base::Result<Evaluation> run(const std::string& run_id, store::Store* store);
  // From any thread: what was measured is kept and ranked.
  void stop();
  // "round 2/3, replicate", and how that block goes.
  struct Where {
    std::string text;
    Progress progress;
  };
  [[nodiscard]] Where where() const;

 private:
  struct Participant;
  base::Result<std::vector<Participant>> gather(std::vector<Reason>& notes);
  base::Status measure_block(Participant& participant, std::int64_t round,
                             const std::vector<workload::Request>& block, const std::string& run_id,
                             store::Store* store);
  base::Status warm_up(Participant& participant, const std::vector<workload::Request>& requests,
                       const std::string& run_id);
  base::Result<EndpointResult> run_watched(Participant& participant, const LoadShape& shape,
                                           const std::string& text,
                                           const std::vector<workload::Request>& requests,
                                           const std::string& run_id);

  Suite suite_;
  mutable std::mutex mutex_;  // guards what follows
  EndpointRun* current_ = nullptr;
  std::string where_;
  bool stopped_ = false;
};

}  // namespace steelyard::study
