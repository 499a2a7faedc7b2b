#include "study/step_flow.h"

#include <algorithm>

namespace steelyard::study {
namespace {

using measure::Outcome;

measure::Passage passage_of(const measure::RequestLog& log,
                            const measure::RequestMetrics& metrics) {
  measure::Passage passage;
  passage.due_at = log.due_at;
  passage.end_at = log.end_at.value_or(log.sent_at);
  passage.first_at = metrics.ttft ? log.sent_at + *metrics.ttft : passage.end_at;
  passage.completed = log.outcome == Outcome::kCompleted;
  passage.output_tokens = static_cast<float>(log.output_tokens.value_or(0));
  return passage;
}

}  // namespace

void StepFlow::begin(base::Nanos at) {
  began_ = at;
  samples_.clear();
}

void StepFlow::settle(base::Nanos at) {
  settled_at_ = at;
  passages_.clear();
  completed_ = 0;
  sent_ = 0;
}

void StepFlow::ended(const measure::RequestLog& log, const measure::RequestMetrics& metrics) {
  const base::Nanos end = log.end_at.value_or(log.sent_at);
  if (log.outcome == Outcome::kCompleted && (!closed_at_ || end <= *closed_at_)) {
    ++completed_;
  }
  if (counts(log.sent_at) && (!closed_at_ || log.sent_at <= *closed_at_)) {
    ++sent_;
  }
  passages_.push_back(passage_of(log, metrics));
}

double StepFlow::mean_out_between(base::Nanos from, base::Nanos to) const {
  const auto first = std::ranges::lower_bound(samples_, from, {}, &Sample::at);
  double sum = 0;
  double n = 0;
  for (auto sample = first; sample != samples_.end() && sample->at < to; ++sample) {
    sum += static_cast<double>(sample->out);
    ++n;
  }
  return n > 0 ? sum / n : 0;
}

base::Nanos StepFlow::to() const {
  return closed_at_.value_or(samples_.empty() ? from() : samples_.back().at);
}

base::Nanos StepFlow::window() const { return std::max<base::Nanos>(to() - from(), 0); }

std::optional<double> StepFlow::per_second(std::int64_t count) const {
  const double s = base::to_seconds(window());
  return s > 0 ? std::optional(static_cast<double>(count) / s) : std::nullopt;
}

std::optional<double> StepFlow::completed_per_s() const { return per_second(completed_); }

std::optional<double> StepFlow::sent_per_s() const { return per_second(sent_); }

std::optional<double> StepFlow::mean_out() const {
  return samples_.empty() ? std::nullopt
                          : std::optional(mean_out_between(from(), samples_.back().at + 1));
}

measure::Flow StepFlow::flow() const { return measure::flow_of(passages_, from(), to()); }

}  // namespace steelyard::study
