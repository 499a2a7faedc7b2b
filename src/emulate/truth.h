// What the emulator sent and when, in the shape of the client's own event log, so that the very
// same formulas give the truth to compare a client against: `sent_at` is here the kernel's stamp of
// the request's arrival, and a chunk's `at` the moment before it was written.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "base/json.h"
#include "measure/event_log.h"
#include "measure/summary.h"

namespace steelyard::emulate {

// {"n", "mean", "p50", "p90", "p99"}; what is not known is null.
[[nodiscard]] base::Json distribution_json(const measure::Distribution& distribution);

class Truth {
 public:
  static constexpr std::size_t kMostRequests = 100'000;  // the oldest are dropped, and counted

  void add(std::string id, measure::RequestLog log);
  void clear();
  // {"clock", "requests": [{"id", "received_ns", "token_ns": [...], ...}], "dropped", "summary"}.
  // Times are nanoseconds of CLOCK_MONOTONIC.
  [[nodiscard]] std::string to_json() const;
  // The summary alone: counts and the percentiles of TTFT, ITL, TPOT and E2E in milliseconds.
  [[nodiscard]] std::string summary_json() const;

 private:
  struct Entry {
    std::string id;
    measure::RequestLog log;
  };
  [[nodiscard]] std::vector<measure::RequestLog> logs() const;

  std::deque<Entry> entries_;
  std::int64_t dropped_ = 0;
};

}  // namespace steelyard::emulate
