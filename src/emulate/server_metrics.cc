#include "emulate/server_metrics.h"

#include <prometheus/counter.h>
#include <prometheus/gauge.h>
#include <prometheus/histogram.h>
#include <prometheus/registry.h>
#include <prometheus/text_serializer.h>

#include "measure/request_metrics.h"

namespace steelyard::emulate {
namespace {

using Labels = std::map<std::string, std::string>;

const prometheus::Histogram::BucketBoundaries kTtftSeconds = {
    0.001, 0.005, 0.01, 0.02, 0.04, 0.06, 0.08, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10, 20, 40};
const prometheus::Histogram::BucketBoundaries kGapSeconds = {
    0.01, 0.025, 0.05, 0.075, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.75, 1, 2.5, 5};
const prometheus::Histogram::BucketBoundaries kE2eSeconds = {
    0.3, 0.5, 0.8, 1, 1.5, 2, 2.5, 5, 10, 15, 20, 30, 40, 50, 60, 120, 240, 480};

}  // namespace

struct ServerMetrics::State {
  prometheus::Registry registry;
  Labels labels;
  prometheus::Gauge* running;
  prometheus::Gauge* waiting;
  prometheus::Counter* input_tokens;
  prometheus::Counter* output_tokens;
  prometheus::Counter* success;
  prometheus::Histogram* ttft;
  prometheus::Histogram* gap;
  prometheus::Histogram* e2e;

  explicit State(const std::string& model) : labels{{"model_name", model}, {"engine", "0"}} {
    running = &gauge("vllm:num_requests_running", "Requests that have a slot.");
    waiting = &gauge("vllm:num_requests_waiting", "Requests that wait for a slot.");
    input_tokens = &counter("vllm:prompt_tokens_total", "Input tokens of finished requests.", {});
    output_tokens = &counter("vllm:generation_tokens_total", "Output tokens produced.", {});
    success = &counter("vllm:request_success_total", "Requests finished without a fault.",
                       {{"finished_reason", "length"}});
    ttft = &histogram("vllm:time_to_first_token_seconds", "TTFT as sent.", kTtftSeconds);
    gap = &histogram("vllm:inter_token_latency_seconds", "ITL as sent.", kGapSeconds);
    e2e = &histogram("vllm:e2e_request_latency_seconds", "E2E as sent.", kE2eSeconds);
  }

  prometheus::Gauge& gauge(const std::string& name, const std::string& help) {
    return prometheus::BuildGauge().Name(name).Help(help).Register(registry).Add(labels);
  }
  prometheus::Counter& counter(const std::string& name, const std::string& help, Labels extra) {
    extra.insert(labels.begin(), labels.end());
    return prometheus::BuildCounter().Name(name).Help(help).Register(registry).Add(extra);
  }
  prometheus::Histogram& histogram(const std::string& name, const std::string& help,
                                   const prometheus::Histogram::BucketBoundaries& bounds) {
    return prometheus::BuildHistogram().Name(name).Help(help).Register(registry).Add(labels,
                                                                                     bounds);
  }
};

ServerMetrics::ServerMetrics(const std::string& model) : state_(std::make_unique<State>(model)) {}
ServerMetrics::~ServerMetrics() = default;

void ServerMetrics::set_queue(std::int64_t running, std::int64_t waiting) {
  state_->running->Set(static_cast<double>(running));
  state_->waiting->Set(static_cast<double>(waiting));
}

void ServerMetrics::finished(const measure::RequestLog& log) {
  if (log.outcome != measure::Outcome::kCompleted) {
    return;
  }
  state_->success->Increment();
  state_->input_tokens->Increment(static_cast<double>(log.input_tokens.value_or(0)));
  state_->output_tokens->Increment(static_cast<double>(log.output_tokens.value_or(0)));
  const measure::RequestMetrics metrics = measure::metrics_of(log);
  if (metrics.ttft) {
    state_->ttft->Observe(base::to_seconds(*metrics.ttft));
  }
  if (metrics.e2e) {
    state_->e2e->Observe(base::to_seconds(*metrics.e2e));
  }
  measure::for_each_gap(log, [this](base::Nanos gap, std::uint32_t tokens) {
    for (std::uint32_t i = 0; i < tokens; ++i) {
      state_->gap->Observe(base::to_seconds(gap) / tokens);
    }
  });
}

std::string ServerMetrics::to_text() const {
  return prometheus::TextSerializer().Serialize(state_->registry.Collect());
}

}  // namespace steelyard::emulate
