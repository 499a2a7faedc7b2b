// An evaluation without a clock, in which every kind of row stands once.
#pragma once

#include "../study/made_up_log.h"
#include "../study/suite_text.h"
#include "study/evaluation.h"

namespace steelyard::report {

inline constexpr std::string_view kMadeUpSuite = R"(name: made up
vantage: nowhere, without a clock
workload:
  dataset: random
  input_tokens: 100
  output_tokens: 20
  requests: 60
  max_concurrency: 4
  source: generated text
sla:
  terms: [ttft.p90<100ms, e2e<2s, itl.mean<50ms]
  target: 95%
currency: USD
exchange_rates: {base: USD, date: "2026-11-30", source: European Central Bank, rates: {CNY: 7.08, EUR: 0.861}}
platforms:
  - name: rented-a100
    emulate: {}
    offer: {price: 1.39 USD/GPU-h, count: 2, source: https://example.org/prices, date: "2026-10-19"}
  - name: 阿里云 PAI-EAS 上海 A10
    emulate: {}
    offer: {price: 8.5 元/小时, source: https://example.org/eas, date: "2026-11-28", note: 按量付费}
  - name: by-token
    base_url: https://api.example.org/v1
    model: m
    offer: {input: 0.05 USD/Mtok, output: 0.9 USD/Mtok, source: price page, date: "2026-11-12"}
  - name: cheap-and-late
    emulate: {}
    offer: {price: 0.1 USD/h, source: price page, date: "2026-11-12"}
  - name: flaky
    emulate: {}
    offer: {price: 0.0004 USD/s, granularity: 1s, minimum: 1min, source: price page, date: "2026-11-12"}
  - name: silent
    base_url: http://127.0.0.1:9
    model: m
    offer: {price: 1 USD/h, source: price page, date: "2026-11-12"}
  - name: gone
    base_url: http://127.0.0.1:9
    model: m
    offer: {price: 1 USD/h, source: price page, date: "2026-11-12"}
  - name: counts-nothing
    base_url: http://127.0.0.1:9
    model: m
    offer: {input: 1 CNY/Mtok, output: 2 CNY/Mtok, source: price page, date: "2026-11-12"}
notes:
  - {en: All of it is made up., zh: 均为虚构。}
)";

// `count` requests one after the other, their TTFT spread from `ttft` to half as much again.
inline std::vector<measure::RequestLog> made_up_logs(std::int64_t count, base::Nanos ttft) {
  std::vector<measure::RequestLog> logs;
  for (std::int64_t i = 0; i < count; ++i) {
    logs.push_back(study::completed({.sent_at = (1 + i) * base::kSecond,
                                     .ttft = ttft + ttft / 2 * (i * 37 % 100) / 100,
                                     .itl = base::kMillisecond * (10 + i % 5),
                                     .output_tokens = 10 + i * 7 % 20}));
  }
  return logs;
}

// What the rounds left of one platform, its requests not yet summed.
struct MadeUpPlatform {
  std::vector<measure::RequestLog> logs;
  study::Measured rest;
};

inline MadeUpPlatform made_up(std::vector<measure::RequestLog> logs, bool emulated) {
  MadeUpPlatform platform;
  platform.logs = std::move(logs);
  platform.rest.window = 60 * base::kSecond;
  platform.rest.emulated = emulated;
  platform.rest.health.wall = 60 * base::kSecond;
  platform.rest.health.cpu = base::kSecond;
  platform.rest.health.sends = static_cast<std::int64_t>(platform.logs.size());
  return platform;
}

inline std::vector<MadeUpPlatform> made_up_measurements() {
  using measure::Outcome;
  constexpr base::Nanos kMs = base::kMillisecond;
  std::vector<MadeUpPlatform> all;
  all.push_back(made_up(made_up_logs(60, 20 * kMs), true));
  all.push_back(made_up(made_up_logs(60, 30 * kMs), true));
  all.push_back(made_up(made_up_logs(60, 60 * kMs), false));
  all.back().rest.health.late_sends = 3;
  all.push_back(made_up(made_up_logs(60, 90 * kMs), true));
  all.push_back(made_up(made_up_logs(60, 20 * kMs), true));
  for (std::size_t i = 0; i < 60; i += 6) {
    measure::RequestLog& log = all.back().logs[i];
    log = study::failed(log.sent_at, i < 30 ? Outcome::kTruncated : Outcome::kRefused,
                        i < 30 ? "the stream was cut" : "HTTP 503 Service Unavailable");
  }
  all.push_back(made_up(std::vector<measure::RequestLog>(
                            60, study::failed(0, Outcome::kConnection, "connection reset")),
                        false));
  all.back().rest.window = 0;
  all.emplace_back();
  all.back().rest.gave_up =
      base::Error{base::ErrorCode::kEnvironment, "http://127.0.0.1:9", "connection refused",
                  "is it up, and does it listen there?"};
  all.push_back(made_up(made_up_logs(60, 20 * kMs), false));
  for (measure::RequestLog& log : all.back().logs) {
    log.input_tokens.reset();
    log.output_tokens.reset();
    log.token_source = measure::TokenSource::kUnknown;
  }
  return all;
}

inline study::Evaluation evaluation_of(study::Suite suite, std::vector<MadeUpPlatform> measured) {
  study::Evaluation evaluation;
  evaluation.suite = std::move(suite);
  evaluation.run_id = "20261202T181500Z-00000001";
  evaluation.started_at = 1'796'235'300 * base::kSecond;
  evaluation.ended_at = evaluation.started_at + 600 * base::kSecond;
  evaluation.notes = evaluation.suite.notes;
  for (std::size_t i = 0; i < measured.size(); ++i) {
    study::Measured all = std::move(measured[i].rest);
    for (std::size_t at = 0; at < measured[i].logs.size(); ++at) {
      measured[i].logs[at].index = static_cast<std::int64_t>(at);
    }
    study::Measured summed = study::measured_of(measured[i].logs, evaluation.suite.sla);
    all.figures = std::move(summed.figures);
    all.requests = std::move(summed.requests);
    evaluation.platforms.push_back(
        study::conclude(evaluation.suite, evaluation.suite.platforms.at(i), std::move(all)));
  }
  study::rank(evaluation.platforms);
  return evaluation;
}

inline study::Suite suite_from(std::string_view yaml) {
  const study::Folder folder("made-up");
  auto suite = study::load_suite(folder.write("suite.yaml", yaml));
  EXPECT_TRUE(suite) << base::to_line(suite ? base::Error{} : suite.error());
  return std::move(*suite);
}

inline study::Evaluation made_up_evaluation() {
  return evaluation_of(suite_from(kMadeUpSuite), made_up_measurements());
}

// Each of the names for a platform of its own.
inline study::Evaluation evaluation_named(const std::vector<std::string>& names) {
  study::Suite suite = suite_from(kMadeUpSuite);
  const study::SuitePlatform model = suite.platforms.front();
  suite.platforms.clear();
  std::vector<MadeUpPlatform> measured;
  for (const std::string& name : names) {
    suite.platforms.push_back(model);
    suite.platforms.back().name = name;
    measured.push_back(made_up(made_up_logs(20, 20 * base::kMillisecond), true));
  }
  return evaluation_of(std::move(suite), std::move(measured));
}

}  // namespace steelyard::report
