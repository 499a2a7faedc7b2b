// Many loads on one endpoint, one after the other: those of a list (a sweep), or those that lead to
// the largest load under which the SLA is met (a search). Bounded by time and by money.
//
// Each step sends prompts of its own, for a cache that has seen those of the step before makes the
// next one look faster than it is.
#pragma once

#include <cstdint>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "study/bracket.h"
#include "study/load_curve.h"
#include "study/step.h"
#include "workload/dataset.h"

namespace steelyard::study {

struct LoadStudyOptions {
  load::Target target;
  platform::RequestOptions options;
  workload::DatasetOptions dataset;
  double burstiness = 1;                        // of arrivals
  std::optional<std::int64_t> max_concurrency;  // of open loops
  Sla sla;                                      // without a term: only figures
  StepRules rules;
  Budget budget;
  std::string run_id;
  std::optional<measure::SelfTest> self_test{};  // for the certificate of each step
};
// Prompts that can be made anew for each step, and have no arrivals of their own.
[[nodiscard]] base::Status check(const std::string& where, const workload::DatasetOptions& dataset);

struct LoadStudyResult {
  enum class End : std::uint8_t { kDone, kTimeOver, kMoneyOver, kInterrupted, kFailed };
  std::vector<StepResult> steps;  // those that came to their end
  std::vector<LoadCurve> curves;  // of them
  End end = End::kDone;
  std::optional<base::Error> failure;  // of the step after the last
  std::optional<quantity::Money> spent;
  base::Nanos took = 0;
  // Of a search: the largest load that met the SLA (its step), whether a longer step has shown it,
  // and the smallest that did not.
  std::optional<std::size_t> best;
  bool confirmed = false;
  std::optional<double> least_missed;
};

// Of a step on the way: short at first, as asked for in between, long and with an eye for small
// overloads at the end.
[[nodiscard]] StepRules rules_for(const StepRules& asked, Bracket::Phase phase, double resolution);

class LoadStudy {
 public:
  explicit LoadStudy(LoadStudyOptions options);

  // Each blocks; one of them, once only. An error before any step ended is an error; later it ends
  // the study, and the steps are kept.
  [[nodiscard]] base::Result<LoadStudyResult> sweep(std::span<const Load> loads);
  [[nodiscard]] base::Result<LoadStudyResult> search(Load::Kind kind, const BracketRange& range);

  // From any thread: the step that is running is dropped.
  void stop();
  struct Where {
    std::string text;  // "step 4 of 6, 12 req/s"
    std::optional<Progress> progress;
    std::optional<quantity::Money> spent;
  };
  [[nodiscard]] Where where() const;

 private:
  // False: the study is over.
  base::Result<bool> take_step(const Load& load, const StepRules& rules, const std::string& note);
  [[nodiscard]] StepPlan plan_for(const Load& load, const StepRules& rules) const;
  [[nodiscard]] StepRules within_time(StepRules rules) const;
  [[nodiscard]] bool over();
  base::Result<LoadStudyResult> finish();

  LoadStudyOptions options_;
  Spend spend_;
  LoadStudyResult result_;
  std::int64_t taken_ = 0;    // requests, by the steps so far
  mutable std::mutex mutex_;  // guards what follows
  Step* current_ = nullptr;
  std::string where_;
  bool stopped_ = false;
  bool money_over_ = false;
};

}  // namespace steelyard::study
