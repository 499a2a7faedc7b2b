#include "study/load_study.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace steelyard::study {
namespace {

using workload::Dataset;
using End = LoadStudyResult::End;

// The last word on a load is said by a step so many times as long as the others'.
constexpr std::int64_t kConfirmTimes = 3;
// What is left of the time at the most for one step.
constexpr double kOfTheRest = 0.8;
constexpr std::uint64_t kStepStream = 0x57E9;

bool made_anew(Dataset dataset) {
  return dataset == Dataset::kRandom || dataset == Dataset::kSonnet ||
         dataset == Dataset::kPrefixRepetition;
}

}  // namespace

base::Status check(const std::string& where, const workload::DatasetOptions& dataset) {
  if (made_anew(dataset.dataset) || dataset.dataset == Dataset::kShareGpt ||
      dataset.dataset == Dataset::kCustom) {
    return {};
  }
  return base::bad_input(where,
                         fmt::format("{} has arrivals of its own, which no other load can replace",
                                     name_of(dataset.dataset)),
                         "--dataset-name random, sonnet, prefix_repetition, sharegpt or custom");
}

LoadStudy::LoadStudy(LoadStudyOptions options)
    : options_(std::move(options)), spend_(options_.budget) {
  result_.steps.reserve(16);
}

// Generated prompts have another seed each step; a file's go on where the last step ended.
StepPlan LoadStudy::plan_for(const Load& load, const StepRules& rules) const {
  workload::DatasetOptions dataset = options_.dataset;
  const auto number = static_cast<std::uint64_t>(result_.steps.size());
  const bool generated = made_anew(dataset.dataset);
  if (generated) {
    dataset.seed = base::Random(dataset.seed).fork(kStepStream + number).next();
    dataset.endless = !dataset.num_prompts;
  }
  if (load.input_len) {
    dataset.random_input_len = *load.input_len;
  }
  workload::ArrivalOptions arrivals;
  arrivals.burstiness = options_.burstiness;
  if (load.open_loop()) {
    arrivals.rate_rps = load.value;
  }
  StepPlan plan{options_.target,
                options_.options,
                load,
                options_.max_concurrency,
                options_.sla,
                rules,
                {},
                {}};
  plan.run_id = fmt::format("{}-{}", options_.run_id, number);
  plan.self_test = options_.self_test;
  plan.make_source = [dataset, arrivals, generated,
                      skip = taken_]() -> std::unique_ptr<workload::Source> {
    auto source = workload::make_source(dataset, arrivals);
    if (!source) {
      return std::make_unique<workload::ListSource>(std::vector<workload::Request>{});
    }
    return generated ? std::move(*source)
                     : std::make_unique<workload::RestSource>(std::move(*source), skip);
  };
  return plan;
}

StepRules rules_for(const StepRules& asked, Bracket::Phase phase, double resolution) {
  StepRules rules = asked;
  rules.screening = phase == Bracket::Phase::kScreen;
  if (phase == Bracket::Phase::kConfirm) {
    rules.least *= kConfirmTimes;
    rules.most *= kConfirmTimes;
    rules.overload = std::min(rules.overload, resolution);
  }
  return rules;
}

StepRules LoadStudy::within_time(StepRules rules) const {
  if (const auto deadline = spend_.deadline()) {
    const double left = kOfTheRest * static_cast<double>(std::max<base::Nanos>(
                                         *deadline - base::monotonic_now(), 0));
    rules.most = std::min(rules.most, static_cast<base::Nanos>(left));
    rules.least = std::min(rules.least, rules.most);
  }
  return rules;
}

bool LoadStudy::over() {
  const std::lock_guard lock(mutex_);
  const auto deadline = spend_.deadline();
  if (stopped_) {
    result_.end = End::kInterrupted;
  } else if (money_over_) {
    result_.end = End::kMoneyOver;
  } else if (deadline && base::monotonic_now() >= *deadline) {
    result_.end = spend_.money_ends_first() ? End::kMoneyOver : End::kTimeOver;
  }
  return result_.end != End::kDone;
}

base::Result<bool> LoadStudy::take_step(const Load& load, const StepRules& rules,
                                        const std::string& note) {
  if (over()) {
    return false;
  }
  Step step(plan_for(load, rules), spend_);
  {
    const std::lock_guard lock(mutex_);
    current_ = &step;
    where_ = fmt::format("step {}{}", result_.steps.size() + 1, note);
    if (stopped_) {
      step.stop();
    }
  }
  auto measured = step.run();
  {
    const std::lock_guard lock(mutex_);
    current_ = nullptr;
  }
  if (!measured && result_.steps.empty()) {
    return tl::unexpected(measured.error());
  }
  if (!measured) {
    result_.end = End::kFailed;
    result_.failure = measured.error();
    return false;
  }
  options_.options.ask_usage = options_.options.ask_usage && !measured->usage_refused;
  taken_ += measured->report.sent;
  money_over_ = measured->money_over;
  if (!measured->interrupted && measured->report.sent > 0) {
    result_.steps.push_back(std::move(*measured));
  }
  return !over();
}

base::Result<LoadStudyResult> LoadStudy::finish() {
  const base::Nanos now = base::monotonic_now();
  result_.spent = spend_.spent(now);
  result_.curves = curves_of(result_.steps);
  return std::move(result_);
}

base::Result<LoadStudyResult> LoadStudy::sweep(std::span<const Load> loads) {
  const base::Nanos began = base::monotonic_now();
  spend_.begin(began);
  StepRules rules = options_.rules;
  rules.whole = true;
  for (const Load& load : loads) {
    const auto more =
        take_step(load, within_time(rules), fmt::format(" of {}, {}", loads.size(), to_text(load)));
    if (!more) {
      return tl::unexpected(more.error());
    }
    if (!*more) {
      break;
    }
  }
  result_.took = base::monotonic_now() - began;
  return finish();
}

base::Result<LoadStudyResult> LoadStudy::search(Load::Kind kind, const BracketRange& range) {
  const base::Nanos began = base::monotonic_now();
  spend_.begin(began);
  Bracket bracket(range);
  while (const auto next = bracket.next()) {
    const std::size_t before = result_.steps.size();
    const bool confirms = next->phase == Bracket::Phase::kConfirm;
    const auto more = take_step(
        {kind, next->load}, within_time(rules_for(options_.rules, next->phase, range.resolution)),
        ", " + to_text({kind, next->load, {}}) + (confirms ? ", once more and longer" : ""));
    if (!more) {
      return tl::unexpected(more.error());
    }
    // A step that was cut short says nothing, unless it had found what it was for.
    if (result_.steps.size() > before &&
        (*more || result_.steps.back().finding.verdict != StepVerdict::kUndecided)) {
      bracket.take(*next, result_.steps.back().finding.leans_met);
    }
    if (!*more) {
      break;
    }
  }
  result_.least_missed = bracket.least_missed();
  if (const auto best = bracket.best()) {
    for (std::size_t i = 0; i < result_.steps.size(); ++i) {
      if (result_.steps[i].load.value == *best) {
        result_.best = i;  // the last of that load
      }
    }
    result_.confirmed =
        result_.best && result_.steps[*result_.best].finding.verdict == StepVerdict::kMeets;
  }
  result_.took = base::monotonic_now() - began;
  return finish();
}

void LoadStudy::stop() {
  const std::lock_guard lock(mutex_);
  stopped_ = true;
  if (current_ != nullptr) {
    current_->stop();
  }
}

LoadStudy::Where LoadStudy::where() const {
  const std::lock_guard lock(mutex_);
  Where where{where_, {}, spend_.spent(base::monotonic_now())};
  if (current_ != nullptr) {
    where.progress = current_->progress();
  }
  return where;
}

}  // namespace steelyard::study
