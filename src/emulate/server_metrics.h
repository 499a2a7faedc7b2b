// The emulator's Prometheus metrics, under the names of vLLM's `/metrics`
// (vllm/v1/metrics/loggers.py), so that a dashboard or a scraper made for vLLM reads them.
#pragma once

#include <memory>
#include <string>

#include "measure/event_log.h"

namespace steelyard::emulate {

class ServerMetrics {
 public:
  explicit ServerMetrics(const std::string& model);
  ~ServerMetrics();
  void set_queue(std::int64_t running, std::int64_t waiting);
  void finished(const measure::RequestLog& log);
  // Prometheus text format 0.0.4.
  [[nodiscard]] std::string to_text() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace steelyard::emulate
