#include "study/self_test.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <thread>

#include "base/json.h"
#include "emulate/truth_server.h"
#include "platform/openai_dialect.h"
#include "wire/fetch.h"
#include "workload/dataset.h"

namespace steelyard::study {
namespace {

constexpr std::int64_t kOutputTokens = 50;
constexpr std::int64_t kInputTokens = 32;
constexpr std::int64_t kWaves = 3;      // each stream is used so many times
constexpr double kStreamSeconds = 1.1;  // TTFT and 50 gaps of 20 ms
constexpr std::uint64_t kSeed = 0x5E1F;

// The truth server on a thread, as long as this lives.
class TruthHost {
 public:
  static base::Result<std::unique_ptr<TruthHost>> start() {
    auto server = emulate::TruthServer::start({.output_tokens = kOutputTokens});
    if (!server) {
      return tl::unexpected(server.error());
    }
    return std::unique_ptr<TruthHost>(new TruthHost(std::move(*server)));
  }
  ~TruthHost() {
    server_->stop();
    thread_.join();
  }
  TruthHost(const TruthHost&) = delete;
  TruthHost& operator=(const TruthHost&) = delete;
  [[nodiscard]] std::string url() const { return server_->url(); }

 private:
  explicit TruthHost(std::unique_ptr<emulate::TruthServer> server)
      : server_(std::move(server)), thread_([this] { server_->run(); }) {}

  std::unique_ptr<emulate::TruthServer> server_;
  std::thread thread_;
};

base::Result<std::vector<workload::Request>> requests_for(std::int64_t streams) {
  workload::DatasetOptions dataset;
  dataset.num_prompts = kWaves * streams;
  dataset.random_input_len = kInputTokens;
  dataset.random_output_len = kOutputTokens;
  dataset.seed = kSeed;
  return workload::build_requests(dataset, {});
}

// What was measured - what was: of one percentile of the truth's summary.
base::Result<double> error_of(const base::Json& truth, const std::string& metric,
                              const std::string& percent,
                              const std::optional<measure::Percentile>& measured) {
  if (!measured || !truth.contains(metric) || !truth[metric].contains(percent) ||
      !truth[metric][percent].is_number()) {
    return base::environment_error("--self-test", "nothing could be measured on this machine");
  }
  return measured->value - truth[metric][percent].get<double>();
}

base::Result<measure::SelfTest::Error> errors_of(const base::Json& truth, const std::string& metric,
                                                 const measure::Distribution& measured) {
  return error_of(truth, metric, "p50", measured.p50).and_then([&](double p50) {
    return error_of(truth, metric, "p99", measured.p99).map([&](double p99) {
      return measure::SelfTest::Error{p50, p99};
    });
  });
}

base::Result<measure::SelfTest> compare(const base::Json& truth, const EndpointResult& result,
                                        std::int64_t streams) {
  const measure::Summary summary = result.figures.run.summary({});
  measure::SelfTest test;
  test.streams = streams;
  test.requests = summary.completed;
  test.tokens_per_s = summary.output_throughput.value_or(0);
  return errors_of(truth, "ttft_ms", summary.ttft_ms)
      .and_then([&](const measure::SelfTest::Error& ttft) {
        test.ttft = ttft;
        return errors_of(truth, "itl_ms", summary.itl_ms);
      })
      .map([&](const measure::SelfTest::Error& itl) {
        test.itl = itl;
        return test;
      });
}

}  // namespace

SelfTestRun::SelfTestRun(std::int64_t streams)
    : streams_(std::clamp(streams, kFewestStreams, kMostStreams)) {}

base::Result<measure::SelfTest> SelfTestRun::run() {
  const auto host = TruthHost::start();
  if (!host) {
    return tl::unexpected(host.error());
  }
  const auto requests = requests_for(streams_);
  if (!requests) {
    return tl::unexpected(requests.error());
  }
  load::Target target;
  target.url = *wire::parse_url("", (*host)->url());
  platform::RequestOptions options;
  options.dialect = &platform::kOpenAiCompletions;
  options.model = "emulated-model";
  target.path = options.dialect->path(options);
  LoadShape shape;
  shape.closed_loop = true;
  shape.max_concurrency = streams_;
  {
    const std::lock_guard lock(mutex_);
    run_.emplace(target, options, shape);
    if (stopped_) {
      run_->stop();
    }
  }
  const auto result = run_->run(*requests, "self-test");
  if (!result) {
    return tl::unexpected(result.error());
  }
  if (result->report.stopped) {
    return base::environment_error("--self-test", "interrupted");
  }
  const auto fetched = wire::fetch(target.url, {"/truth/summary", {}}, {});
  if (!fetched) {
    return tl::unexpected(fetched.error());
  }
  return compare(base::parse_json(fetched->body).value_or(base::Json::object()), *result, streams_);
}

void SelfTestRun::stop() {
  const std::lock_guard lock(mutex_);
  stopped_ = true;
  if (run_) {
    run_->stop();
  }
}

std::int64_t self_test_streams(const LoadShape& shape, double rate_rps,
                               std::optional<std::int64_t> requests) {
  constexpr auto kFewest = static_cast<double>(SelfTestRun::kFewestStreams);
  constexpr auto kMost = static_cast<double>(SelfTestRun::kMostStreams);
  double streams = std::isinf(rate_rps) ? kMost : std::ceil(rate_rps * kStreamSeconds);
  streams = std::min(streams, static_cast<double>(shape.max_concurrency.value_or(1'000'000)));
  streams = std::min(streams, static_cast<double>(requests.value_or(1'000'000)));
  return static_cast<std::int64_t>(std::clamp(streams, kFewest, kMost));
}

}  // namespace steelyard::study
