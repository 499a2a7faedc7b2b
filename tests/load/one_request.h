// One request sent by the engine, and what its log says.
#pragma once

#include "load/engine.h"

namespace steelyard::load {

class Collected : public Sink {
 public:
  bool on_finished(std::size_t index, measure::RequestLog&& log) override {
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

// A closed loop of `count` equal requests.
inline Plan plan_of(std::size_t count, std::int64_t slots = 1) {
  Plan plan;
  plan.closed_loop = true;
  plan.max_concurrency = slots;
  plan.requests.resize(count, PlannedRequest{0, R"({"model":"m"})"});
  plan.run_id = "test";
  return plan;
}

}  // namespace steelyard::load
