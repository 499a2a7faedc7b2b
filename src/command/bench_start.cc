#include "command/bench_start.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <thread>

#include "base/json.h"
#include "command/watched.h"
#include "load/message.h"
#include "wire/fetch.h"

namespace steelyard::command {
namespace {

constexpr base::Nanos kReadyEvery = base::kSecond;
constexpr base::Nanos kFetchTimeout = 10 * base::kSecond;
constexpr std::string_view kModelsPath = "/v1/models";

base::Result<wire::Fetched> fetch_models(const load::Target& target,
                                         const std::atomic<bool>& stopped) {
  const std::string path = platform::path_under(target.url, kModelsPath);
  return load::fields_beside(target, {"GET", path, ""}, &stopped)
      .and_then([&](const wire::Fields& fields) {
        return wire::fetch(target.url, {path, fields},
                           {target.tls, kFetchTimeout, &stopped, target.proxy});
      });
}

}  // namespace

BenchStart::BenchStart(const load::Target& target, const StartOptions& options,
                       const std::vector<workload::Request>& requests)
    : target_(target), options_(options), requests_(requests) {
  if (options.self_test_streams) {
    testing_.emplace(*options.self_test_streams);
  }
}

base::Status BenchStart::run(platform::RequestOptions& request) {
  if (auto tested = test_client(); !tested || stopped_) {
    return tested;
  }
  if (options_.ready_timeout_s > 0) {
    if (auto ready = wait_ready(); !ready || stopped_) {
      return ready;
    }
  }
  if (request.model.empty()) {
    auto model = first_model(target_, stopped_);
    if (!model) {
      return tl::unexpected(model.error());
    }
    request.model = *model;
  }
  return options_.warmups > 0 ? warm_up(request) : base::Status();
}

void BenchStart::stop() {
  const std::lock_guard lock(mutex_);
  stopped_ = true;
  if (testing_) {
    testing_->stop();
  }
  if (warming_) {
    warming_->stop();
  }
}

base::Status BenchStart::test_client() {
  if (!testing_) {
    return {};
  }
  return testing_->run().map([&](const measure::SelfTest& test) { self_test_ = test; });
}

void BenchStart::sleep(base::Nanos time) const {
  constexpr std::chrono::milliseconds kLook(20);
  const base::Nanos until = base::monotonic_now() + time;
  while (!stopped_ && base::monotonic_now() < until) {
    std::this_thread::sleep_for(kLook);
  }
}

// Waits until the server answers at all; what it answers is the run's business.
base::Status BenchStart::wait_ready() {
  const base::Nanos deadline = base::monotonic_now() + base::from_seconds(options_.ready_timeout_s);
  for (;;) {
    const auto answer = fetch_models(target_, stopped_);
    if (stopped_ || (answer && answer->status < 500)) {
      return {};
    }
    if (base::monotonic_now() >= deadline) {
      return answer ? base::Status(base::environment_error(
                          target_.url.to_text(), fmt::format("not ready: HTTP {}", answer->status)))
                    : tl::unexpected(answer.error());
    }
    sleep(kReadyEvery);
  }
}

base::Result<std::string> first_model(const load::Target& target,
                                      const std::atomic<bool>& stopped) {
  const auto answer = fetch_models(target, stopped);
  if (!answer) {
    return tl::unexpected(answer.error());
  }
  const base::Json json = base::parse_json(answer->body).value_or(base::Json());
  if (answer->status == 200 && json.is_object() && json.contains("data") &&
      json["data"].is_array() && !json["data"].empty() && json["data"][0].is_object() &&
      json["data"][0].contains("id") && json["data"][0]["id"].is_string()) {
    return json["data"][0]["id"].get<std::string>();
  }
  return base::bad_input(target.url.to_text() + platform::path_under(target.url, kModelsPath),
                         fmt::format("HTTP {} and no model named there", answer->status),
                         answer->status == 401 ? "a valid API key" : "--model NAME");
}

base::Status BenchStart::warm_up(const platform::RequestOptions& request) {
  study::LoadShape shape;
  shape.closed_loop = true;
  shape.max_concurrency = options_.max_concurrency.value_or(options_.warmups);
  {
    const std::lock_guard lock(mutex_);
    if (stopped_) {
      return {};
    }
    warming_.emplace(target_, request, shape);
  }
  return warming_
      ->run(workload::warmup_requests(requests_, options_.warmups, options_.seed),
            options_.run_id + "-warmup")
      .map([](const study::EndpointResult&) {});
}

tl::unexpected<base::Error> nothing_measured() {
  return base::environment_error("", "interrupted before anything was measured");
}

base::Status start_shown(Bench& bench, const StartOptions& options, const SignalWatch& signals,
                         bool quiet) {
  ProgressLine line(quiet);
  BenchStart start(bench.target, options, bench.warmups);
  const char* const text = options.self_test_streams
                               ? "testing this client, then waiting for the server, warming it up"
                               : "waiting for the server, warming it up";
  const auto begun = watched<void>(
      signals, line, [&] { return start.run(bench.options); }, [&] { start.stop(); },
      [&](base::Nanos) { return std::string(text); });
  bench.self_test = start.self_test();
  return start.stopped() ? base::Status(nothing_measured()) : begun;
}

}  // namespace steelyard::command
