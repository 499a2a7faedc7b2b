// One load put on an endpoint until it is known whether the SLA is met under it, or until time or
// money is over. What is out when it ends is waited for, for a while.
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "measure/certificate.h"
#include "study/endpoint_run.h"
#include "study/spend.h"
#include "study/step_meter.h"

namespace steelyard::study {

struct StepResult {
  Load load;
  Finding finding;
  bool settled = false;  // false: the figures are of everything from the first send on
  base::Nanos settling = 0;
  base::Nanos window = 0;  // what follows is of this time
  std::optional<double> sent_per_s;
  std::optional<double> completed_per_s;
  std::optional<double> mean_out;  // requests out at once
  measure::Flow flow;
  // Of the requests sent in that time, those included that ended after it.
  EndpointFigures figures;
  measure::Summary summary;
  std::optional<measure::ShareInterval>
      interval;  // of the share that met every limit, at any time, 95 %
  measure::Certificate certificate;
  load::RunReport report;
  workload::SourceFacts facts;
  bool usage_refused = false;
  bool interrupted = false;  // by stop(): it did not come to its end
  bool money_over = false;   // and that ended it

  [[nodiscard]] std::optional<double> output_tokens_per_s() const;
  // 1 / median TPOT: the pace that one reader sees.
  [[nodiscard]] std::optional<double> tokens_per_s_per_user() const;
};

// One reader's pace at a TPOT: 1 / TPOT, which turns the ends of an interval round.
[[nodiscard]] std::optional<double> tokens_per_s(const std::optional<double>& tpot_ms);

struct StepPlan {
  load::Target target;
  platform::RequestOptions options;
  Load load;
  std::optional<std::int64_t> max_concurrency;  // of an open loop
  Sla sla;
  StepRules rules;
  MakeSource make_source;
  std::string run_id;
  std::optional<measure::SelfTest> self_test{};  // for the certificate
};

class Step {
 public:
  // `spend` outlives it.
  Step(StepPlan plan, Spend& spend);

  // Blocks; once only. Errors as EndpointRun's.
  [[nodiscard]] base::Result<StepResult> run();
  // From any thread: drops what is out.
  void stop();
  [[nodiscard]] Progress progress() const { return run_.progress(); }

 private:
  // Takes note of how many are out, and sees whether the step is over.
  void look(base::Nanos now);
  void drain(base::Nanos now);
  [[nodiscard]] Reason why_over() const;
  StepResult result_of(EndpointResult measured);

  StepPlan plan_;
  Spend& spend_;
  EndpointRun run_;
  std::optional<base::Nanos> deadline_;
  mutable std::mutex mutex_;  // guards what follows
  StepMeter meter_;
  std::optional<base::Nanos> cut_at_;  // what is out is dropped then
  bool time_over_ = false;
  bool stopped_ = false;
};

}  // namespace steelyard::study
