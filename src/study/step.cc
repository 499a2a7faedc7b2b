#include "study/step.h"

#include <algorithm>
#include <condition_variable>
#include <stop_token>
#include <thread>

namespace steelyard::study {
namespace {

constexpr base::Nanos kLookEvery = 20 * base::kMillisecond;
// The way out: so many times the median E2E, and no less.
constexpr std::int64_t kDrainMedians = 4;
constexpr base::Nanos kLeastDrain = 2 * base::kSecond;

LoadShape shape_of(const StepPlan& plan) {
  LoadShape shape;
  shape.closed_loop = !plan.load.open_loop();
  shape.max_concurrency = shape.closed_loop
                              ? std::optional(static_cast<std::int64_t>(plan.load.value))
                              : plan.max_concurrency;
  return shape;
}

}  // namespace

std::optional<double> StepResult::output_tokens_per_s() const {
  return flow.output_tokens_per_s ? std::optional(flow.output_tokens_per_s->value) : std::nullopt;
}

std::optional<double> StepResult::tokens_per_s_per_user() const {
  const auto& tpot = summary.tpot_ms.p50;
  return tpot ? tokens_per_s(tpot->value) : std::nullopt;
}

std::optional<double> tokens_per_s(const std::optional<double>& tpot_ms) {
  return tpot_ms && *tpot_ms > 0 ? std::optional(1'000 / *tpot_ms) : std::nullopt;
}

Step::Step(StepPlan plan, Spend& spend)
    : plan_(std::move(plan)),
      spend_(spend),
      run_(plan_.target, plan_.options, shape_of(plan_), plan_.sla),
      deadline_(spend.deadline()),
      meter_(plan_.load, plan_.sla, plan_.rules) {
  run_.set_record([this](const measure::RequestLog& log) {
    spend_.ended(log);
    const std::lock_guard lock(mutex_);
    meter_.ended(log);
    return true;
  });
}

void Step::drain(base::Nanos now) {
  const base::Nanos median = meter_.median_e2e().value_or(0);
  cut_at_ = now + std::max(kLeastDrain, kDrainMedians * median);
  if (deadline_) {
    cut_at_ = std::min(*cut_at_, *deadline_);
  }
  run_.drain();
}

// The time that is left is kept for those that are out: one more median.
void Step::look(base::Nanos now) {
  const EndpointRun::Counts counts = run_.counts();
  const std::lock_guard lock(mutex_);
  if (counts.began_at > 0 && !cut_at_) {
    meter_.begin(counts.began_at);
    if (meter_.look(now, counts.out)) {
      drain(now);
    }
  }
  if (deadline_ && !cut_at_ && now >= *deadline_ - meter_.median_e2e().value_or(0)) {
    time_over_ = true;
    (void)meter_.conclude(now, why_over());
    drain(now);
  }
  if (cut_at_ && now >= *cut_at_) {
    run_.stop();
  }
}

Reason Step::why_over() const {
  if (!time_over_ && !spend_.refused()) {
    return {"the requests were over", "请求已发完"};
  }
  return spend_.refused() || spend_.money_ends_first() ? Reason{"the money was over", "预算已用完"}
                                                       : Reason{"the time was over", "时间已用完"};
}

base::Result<StepResult> Step::run() {
  std::mutex idle;
  std::condition_variable_any ended;
  std::jthread watch([&](const std::stop_token& over) {
    std::unique_lock lock(idle);
    while (!over.stop_requested()) {
      look(base::monotonic_now());
      ended.wait_for(lock, over, std::chrono::nanoseconds(kLookEvery), [] { return false; });
    }
  });
  const MakeSource paid = [this] {
    spend_.step_over(0);  // of an attempt before: what the server refused costs nothing
    return within(plan_.make_source(), spend_);
  };
  auto measured = run_.run(paid, plan_.run_id);
  watch.request_stop();
  watch.join();
  if (!measured) {
    return tl::unexpected(measured.error());
  }
  StepResult result = result_of(std::move(*measured));
  spend_.step_over(result.report.sent);
  return result;
}

StepResult Step::result_of(EndpointResult measured) {
  const std::lock_guard lock(mutex_);
  StepResult result;
  result.load = plan_.load;
  result.money_over = !cut_at_ && spend_.refused();
  result.finding = meter_.conclude(base::monotonic_now(), why_over());
  result.settled = meter_.settled();
  const StepFlow& flow = meter_.flow();
  result.settling = flow.settling();
  result.window = flow.window();
  result.sent_per_s = flow.sent_per_s();
  result.completed_per_s = flow.completed_per_s();
  result.mean_out = flow.mean_out();
  result.flow = flow.flow();
  result.figures = meter_.figures();
  result.summary = result.figures.run.summary();
  const measure::Attainment& good = result.figures.sla.good();
  result.interval = measure::anytime_interval(good.met, good.due);
  result.facts = measured.facts;
  result.certificate = measure::certify(measured.report.health, plan_.self_test);
  result.report = std::move(measured.report);
  result.usage_refused = measured.usage_refused;
  result.interrupted = stopped_;
  return result;
}

void Step::stop() {
  {
    const std::lock_guard lock(mutex_);
    stopped_ = true;
  }
  run_.stop();
}

}  // namespace steelyard::study
