#include "study/endpoint_run.h"

namespace steelyard::study {
namespace {

using measure::Outcome;
using measure::RequestLog;

bool refuses_usage(const RequestLog& log) {
  return log.http_status == 400 && (log.failure.find("stream_options") != std::string::npos ||
                                    log.failure.find("include_usage") != std::string::npos);
}

// Refusals that every further request would meet too: the input is wrong, not the platform. A 400
// is none: it may be about one prompt that is too long.
bool refuses_input(const RequestLog& log) {
  return log.outcome == Outcome::kRefused && (log.http_status == 401 || log.http_status == 403 ||
                                              log.http_status == 404 || log.http_status == 405);
}

std::string hint_for(const RequestLog& log) {
  switch (log.http_status) {
    case 401:
    case 403:
      return "a valid API key";
    default:
      return "the server's own name for the model, and the right base URL and endpoint type";
  }
}

}  // namespace

class EndpointRun::Collector : public load::Sink {
 public:
  explicit Collector(EndpointRun& run) : run_(run) { result_.figures = EndpointFigures(run.sla_); }

  void on_sent(std::size_t /*index*/) override {
    const std::lock_guard lock(run_.mutex_);
    if (run_.progress_.sent++ == 0) {
      run_.progress_.began_at = base::monotonic_now();
    }
  }

  bool on_finished(std::size_t /*index*/, RequestLog& log) override {
    if (!completed_any_ && !refusal_ &&
        (refuses_input(log) || (run_.options_.ask_usage && refuses_usage(log)))) {
      refusal_ = log;
      return false;
    }
    take(log);
    stop_if_narrow();
    completed_any_ = completed_any_ || log.outcome == Outcome::kCompleted;
    const bool go_on = !run_.record_ || run_.record_(log);
    if (run_.keep_logs_) {
      result_.logs.push_back(std::move(log));
    }
    return go_on;
  }

  // Set when the run was stopped because the server will take no request of its kind.
  [[nodiscard]] const std::optional<RequestLog>& refusal() const { return refusal_; }
  [[nodiscard]] EndpointResult take_result() { return std::move(result_); }

 private:
  // Looked at a few dozen times in a run of any length: each look costs some milliseconds.
  void stop_if_narrow() {
    const std::int64_t n = result_.figures.run.due();
    if (!run_.p99_within_ || result_.narrow_enough || n < next_look_) {
      return;
    }
    next_look_ = std::max(n + kLeastToStop / 4, n + n / 10);
    const auto half_width = result_.figures.run.p99_half_width();
    if (half_width && *half_width <= *run_.p99_within_) {
      result_.narrow_enough = true;
      run_.drain();
    }
  }

  void take(const RequestLog& log) {
    const measure::RequestMetrics metrics = measure::metrics_of(log);
    EndpointFigures& figures = result_.figures;
    figures.add(log, metrics);
    const std::lock_guard lock(run_.mutex_);
    const measure::Attainment& good = figures.sla.good();
    run_.progress_.ended = good.due;
    run_.progress_.completed += log.outcome == Outcome::kCompleted ? 1 : 0;
    run_.progress_.missed = good.due - good.met;
    run_.send_lag_.record(metrics.send_lag);
    if (metrics.ttft) {
      run_.ttft_.record(*metrics.ttft);
    }
  }

  EndpointRun& run_;
  EndpointResult result_;
  std::int64_t next_look_ = kLeastToStop;
  std::optional<RequestLog> refusal_;
  bool completed_any_ = false;
};

EndpointRun::EndpointRun(load::Target target, platform::RequestOptions options, LoadShape shape,
                         Sla sla)
    : target_(std::move(target)),
      options_(std::move(options)),
      shape_(shape),
      sla_(std::move(sla)) {}

base::Result<EndpointResult> EndpointRun::run(const std::vector<workload::Request>& requests,
                                              const std::string& run_id) {
  return run([&] { return std::make_unique<workload::ListSource>(requests); }, run_id);
}

base::Result<EndpointResult> EndpointRun::run(const MakeSource& make_source,
                                              const std::string& run_id) {
  auto result = attempt(*make_source(), run_id);
  if (result && result->usage_refused) {
    options_.ask_usage = false;
    result = attempt(*make_source(), run_id);
    if (result) {
      result->usage_refused = true;
    }
  }
  return result;
}

load::Plan EndpointRun::plan_for(workload::Source& source, const std::string& run_id) const {
  load::Plan plan;
  plan.requests = &source;
  plan.dialect = options_.dialect;
  if (options_.dialect->make_call != nullptr) {
    plan.make_call = [options = options_] { return options.dialect->make_call(options); };
  }
  plan.write_body = [body = platform::body_template(options_),
                     turns = std::vector<platform::PastTurn>()](const workload::Request& request,
                                                                std::string& into) mutable {
    turns.clear();
    for (const workload::Turn& turn : request.history) {
      turns.push_back({turn.user, turn.assistant});
    }
    body.write(turns, request.prompt, request.output_tokens, into);
  };
  plan.stream = options_.stream;
  plan.closed_loop = shape_.closed_loop;
  plan.max_concurrency = shape_.max_concurrency;
  plan.send_for = shape_.send_for;
  plan.run_id = run_id;
  plan.first_index = first_index_;
  return plan;
}

base::Result<EndpointResult> EndpointRun::attempt(workload::Source& source,
                                                  const std::string& run_id) {
  const load::Plan plan = plan_for(source, run_id);
  load::Engine engine(target_, plan);
  Collector collector(*this);
  {
    const std::lock_guard lock(mutex_);
    progress_ = Progress{};
    progress_.planned = source.planned();
    engine_ = &engine;
    if (stopped_) {
      engine.stop();
    }
    if (drained_) {
      engine.drain();
    }
  }
  auto report = engine.run(collector);
  {
    const std::lock_guard lock(mutex_);
    engine_ = nullptr;
  }
  if (!report) {
    return tl::unexpected(report.error());
  }
  EndpointResult result = collector.take_result();
  if (const auto& refusal = collector.refusal()) {
    if (!refuses_usage(*refusal)) {
      return base::bad_input(target_.url.to_text() + target_.path, refusal->failure,
                             hint_for(*refusal));
    }
    result.usage_refused = true;
  }
  result.facts = source.facts();
  result.report = std::move(*report);
  return result;
}

void EndpointRun::stop() {
  const std::lock_guard lock(mutex_);
  stopped_ = true;
  if (engine_ != nullptr) {
    engine_->stop();
  }
}

void EndpointRun::drain() {
  const std::lock_guard lock(mutex_);
  drained_ = true;
  if (engine_ != nullptr) {
    engine_->drain();
  }
}

EndpointRun::Counts EndpointRun::counts() const {
  const std::lock_guard lock(mutex_);
  return {progress_.began_at, progress_.sent - progress_.ended};
}

Progress EndpointRun::progress() const {
  const std::lock_guard lock(mutex_);
  Progress progress = progress_;
  progress.ttft_p50 = ttft_.percentile(0.50);
  progress.ttft_p99 = ttft_.percentile(0.99);
  progress.send_lag_p99 = send_lag_.percentile(0.99);
  return progress;
}

}  // namespace steelyard::study
