// What goes before a measurement: the client is tested, the server answers, its model is known, it
// is warm.
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "command/bench_options.h"
#include "command/signals.h"
#include "load/plan.h"
#include "platform/dialect.h"
#include "study/endpoint_run.h"
#include "study/self_test.h"
#include "workload/dataset.h"

namespace steelyard::command {

struct StartOptions {
  double ready_timeout_s = 0;  // 0: the server is not asked whether it is ready
  std::int64_t warmups = 0;
  std::optional<std::int64_t> max_concurrency;
  std::uint64_t seed = 0;
  std::string run_id;
  std::optional<std::int64_t> self_test_streams;  // absent: no self-test
};

// The model that the server names first. Blocks.
[[nodiscard]] base::Result<std::string> first_model(const load::Target& target,
                                                    const std::atomic<bool>& stopped);

class BenchStart {
 public:
  // All outlive it.
  BenchStart(const load::Target& target, const StartOptions& options,
             const std::vector<workload::Request>& requests);

  // Of the client, where one was asked for; once `run` has returned.
  [[nodiscard]] const std::optional<measure::SelfTest>& self_test() const { return self_test_; }

  // Blocks. Fills in the model where none is named.
  [[nodiscard]] base::Status run(platform::RequestOptions& request);
  // From any thread: `run` returns promptly.
  void stop();
  [[nodiscard]] bool stopped() const { return stopped_; }

 private:
  base::Status test_client();
  base::Status wait_ready();
  base::Status warm_up(const platform::RequestOptions& request);
  void sleep(base::Nanos time) const;

  const load::Target& target_;
  const StartOptions& options_;
  const std::vector<workload::Request>& requests_;
  std::optional<study::SelfTestRun> testing_;
  std::optional<measure::SelfTest> self_test_;
  std::mutex mutex_;  // guards warming_
  std::optional<study::EndpointRun> warming_;
  std::atomic<bool> stopped_{false};
};

[[nodiscard]] tl::unexpected<base::Error> nothing_measured();

// The client is tested, the server is there, its model known, and it is warm; or Ctrl-C came first.
[[nodiscard]] base::Status start_shown(Bench& bench, const StartOptions& options,
                                       const SignalWatch& signals, bool quiet);

}  // namespace steelyard::command
