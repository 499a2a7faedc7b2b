// One load, watched until it is known whether the SLA is met under it. No clock and no network: it
// is told what ended and how many are out, so that its rules can be tried on made-up queues.
//
// What short steps get wrong, and what is done about it:
// - At first the server is empty. Nothing counts that was sent before the step has settled: three
//   times the median E2E are over, and in an open loop the number out has stopped growing.
// - A queue takes its time to build up: a load that is by a share x above capacity adds x seconds
//   of waiting a second. No load meets the SLA before such an overload would have used up what the
//   limits leave, nor when the latest requests are worse than the target, nor while the number out
//   seems to grow. A load whose number out surely grows is over capacity, even when every request
//   so far was on time.
// - Looking until the share is high enough finds it high enough. The test of the share allows it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "measure/event_log.h"
#include "measure/histogram.h"
#include "study/endpoint_figures.h"
#include "study/sla_tests.h"
#include "study/step_flow.h"

namespace steelyard::study {

struct Load {
  enum class Kind : std::uint8_t { kConcurrency, kRate };
  Kind kind = Kind::kConcurrency;
  double value = 1;  // requests out at once, a whole number; or requests a second, may be infinite
  std::optional<std::int64_t> input_len{};  // tokens, where it differs from step to step

  [[nodiscard]] bool open_loop() const { return kind == Kind::kRate; }
};
// "concurrency 8", "12.5 req/s, 512 tok in"
[[nodiscard]] std::string to_text(const Load& load);

struct StepRules {
  // Measured, after settling. Three times the median E2E where that is longer.
  base::Nanos least = 5 * base::kSecond;
  // Then it ends undecided. Five times the median E2E where that is longer.
  base::Nanos most = 60 * base::kSecond;
  std::int64_t least_requests = 20;
  // Above capacity by so much must have been seen; it lengthens `least`, up to `most`.
  double overload = 0.1;
  double confidence = 0.95;  // of each verdict
  // It is enough after the least length that most likely the SLA is met: a load on the way up.
  bool screening = false;
  // A miss does not end it before its least length: its figures are wanted, and not only its
  // verdict.
  bool whole = false;
};

enum class StepVerdict : std::uint8_t { kMeets, kMisses, kUndecided, kNotAsked };
// "meets", "misses", "undecided", "not asked".
[[nodiscard]] std::string_view name_of(StepVerdict verdict);

struct Finding {
  StepVerdict verdict = StepVerdict::kUndecided;
  // What the verdict would be if it had to be one.
  bool leans_met = false;
  bool over_capacity = false;  // the number out kept growing
  Reason reason;
};

class StepMeter {
 public:
  // `sla` without a term: there is no verdict, and the step ends after its least length.
  StepMeter(const Load& load, const Sla& sla, const StepRules& rules);

  // The first send. Again where the run begins anew.
  void begin(base::Nanos at);
  // In order of ending.
  void ended(const measure::RequestLog& log);
  // At even times, `out`: requests sent and not ended. Once there is a finding it stays.
  const std::optional<Finding>& look(base::Nanos now, std::int64_t out);
  // The run is over: what can be said by now, with why it ended before there was a finding.
  Finding conclude(base::Nanos now, const Reason& why);

  [[nodiscard]] bool settled() const { return flow_.settled_at().has_value(); }
  // Of what ended; absent before anything has.
  [[nodiscard]] std::optional<base::Nanos> median_e2e() const { return e2e_.percentile(0.5); }

  // After settling; all of it where it never settled.
  [[nodiscard]] const EndpointFigures& figures() const { return figures_; }
  [[nodiscard]] const StepFlow& flow() const { return flow_; }

 private:
  void settle_if_quiet(base::Nanos now);
  [[nodiscard]] base::Nanos figures_length() const;
  [[nodiscard]] base::Nanos least_length() const;
  [[nodiscard]] base::Nanos most_length() const;
  [[nodiscard]] std::optional<Finding> judge(base::Nanos now) const;
  [[nodiscard]] bool lately_worse(base::Nanos now) const;
  [[nodiscard]] std::optional<Finding> growing(base::Nanos now, double chance) const;

  Load load_;
  Sla sla_;
  StepRules rules_;
  measure::Limits limits_;
  SlaTests tests_;
  StepFlow flow_;
  std::optional<Finding> finding_;
  measure::Histogram e2e_;
  measure::Histogram ttft_;
  std::int64_t ended_ = 0;
  EndpointFigures figures_;
  base::Nanos judged_at_ = 0;
};

}  // namespace steelyard::study
