// The client measured before it measures: a run of its own against the truth server, which knows
// when it wrote each token, on a thread beside it.
#pragma once

#include <atomic>
#include <mutex>
#include <optional>

#include "base/error.h"
#include "measure/certificate.h"
#include "study/endpoint_run.h"

namespace steelyard::study {

class SelfTestRun {
 public:
  static constexpr std::int64_t kFewestStreams = 16;   // fewer would be too few samples
  static constexpr std::int64_t kMostStreams = 1'024;  // for more the server needs a whole core

  // As many streams at once, within those bounds, at 50 tokens a second each after a TTFT of 100
  // ms.
  explicit SelfTestRun(std::int64_t streams);

  // Blocks for about four seconds. A port that cannot be had, or a run of which nothing came, is an
  // environment error.
  [[nodiscard]] base::Result<measure::SelfTest> run();
  // From any thread: `run` returns promptly.
  void stop();

 private:
  std::int64_t streams_;
  std::mutex mutex_;  // guards run_
  std::optional<EndpointRun> run_;
  bool stopped_ = false;
};

// How many streams a load keeps open, where each takes as long as the self-test's own: what to test
// the client with.
[[nodiscard]] std::int64_t self_test_streams(const LoadShape& shape, double rate_rps,
                                             std::optional<std::int64_t> requests);

}  // namespace steelyard::study
