// One request sent by the engine, and what its log says.
#pragma once

#include "load/engine.h"
#include "platform/dialect.h"

namespace steelyard::load {

class Collected : public Sink {
 public:
  bool on_finished(std::size_t index, measure::RequestLog& log) override {
    indices.push_back(index);
    logs.push_back(std::move(log));
    return stop_after == 0 || logs.size() < stop_after;
  }
  std::vector<std::size_t> indices;
  std::vector<measure::RequestLog> logs;
  std::size_t stop_after = 0;
};

inline Target target_at(const wire::Url& url) {
  Target target;
  target.url = url;
  target.path = "/v1/chat/completions";
  return target;
}

// Requests all known beforehand, and the plan that sends them.
class Planned {
 public:
  explicit Planned(std::vector<workload::Request> requests)
      : source_(std::make_unique<workload::ListSource>(std::move(requests))) {
    plan_.requests = source_.get();
    plan_.write_body = [](const workload::Request& request, std::string& into) {
      platform::RequestOptions options;
      options.model = "emulated-model";
      platform::body_template(options).write({}, request.prompt, request.output_tokens, into);
    };
    plan_.run_id = "test";
  }
  Plan* operator->() { return &plan_; }
  const Plan& operator*() const { return plan_; }

 private:
  std::unique_ptr<workload::ListSource> source_;
  Plan plan_;
};

// A closed loop of `count` equal requests.
inline Planned plan_of(std::size_t count, std::int64_t slots = 1) {
  Planned plan(std::vector<workload::Request>(count, {"one two", 2, 5}));
  plan->closed_loop = true;
  plan->max_concurrency = slots;
  return plan;
}

}  // namespace steelyard::load
