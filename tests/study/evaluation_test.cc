#include "study/evaluation.h"

#include <SQLiteCpp/SQLiteCpp.h>

#include <atomic>
#include <cstdlib>
#include <numeric>
#include <thread>

#include "study/emulator_host.h"
#include "suite_text.h"

namespace steelyard::study {
namespace {

using measure::Outcome;
using measure::RequestLog;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::UnorderedElementsAre;

constexpr std::string_view kQuick = "ttft: {p50: 5ms}, itl: {p50: 1ms}";

struct Asked {
  std::string load = "max_concurrency: 2";
  std::string sla = R"(terms: ["ttft<2s"], target: 99%)";  // no idle machine misses it
  int requests = 12;
  int rounds = 3;
  int output_tokens = 8;
};

std::string platform(std::string_view name, std::string_view profile, std::string_view price) {
  return fmt::format("  - {{name: {}, emulate: {{{}}}, offer: {{{}, source: s, date: d}}}}\n", name,
                     profile, price);
}
std::string at_url(std::string_view name, std::string_view url) {
  return fmt::format(
      "  - {{name: {}, base_url: \"{}\", model: m, offer: {{price: 1 USD/h, source: s, date: "
      "d}}}}\n",
      name, url);
}
// A port on which nothing listens.
constexpr std::string_view kNobody = "http://127.0.0.1:1";

class EvaluationTest : public testing::Test {
 protected:
  [[nodiscard]] Suite suite(std::string_view platforms, const Asked& asked = {}) const {
    const std::string text = fmt::format(
        "name: s\ncurrency: USD\n"
        "exchange_rates: {{base: USD, date: d, source: s, rates: {{CNY: 7.08}}}}\n"
        "workload: {{dataset: random, input_tokens: 8, output_tokens: {}, requests: {}, rounds: "
        "{}, {}}}\n"
        "sla: {{{}}}\nplatforms:\n{}",
        asked.output_tokens, asked.requests, asked.rounds, asked.load, asked.sla, platforms);
    auto loaded = load_suite(folder_.write("suite.yaml", text));
    EXPECT_TRUE(loaded) << base::to_line(loaded ? base::Error{} : loaded.error());
    return std::move(*loaded);
  }
  [[nodiscard]] Evaluation evaluated(std::string_view platforms, const Asked& asked = {}) const {
    EvaluationRun run(suite(platforms, asked));
    auto evaluation = run.run("run", nullptr);
    EXPECT_TRUE(evaluation) << base::to_line(evaluation ? base::Error{} : evaluation.error());
    return std::move(*evaluation);
  }

  Folder folder_{"evaluation"};
};

std::vector<std::string> names(const Evaluation& evaluation) {
  std::vector<std::string> all;
  for (const PlatformResult& result : evaluation.platforms) {
    all.push_back(result.name);
  }
  return all;
}

TEST_F(EvaluationTest, ranks_by_cptls_and_counts_everything_that_was_due) {
  const Evaluation evaluation =
      evaluated(platform("dear", kQuick, "price: 100 USD/h") +
                platform("cheap", kQuick, "price: 0.0708 CNY/h") +
                platform("api", kQuick, "input: 1 USD/Ktok, output: 1 USD/Ktok"));
  EXPECT_THAT(names(evaluation), ElementsAre("cheap", "dear", "api"));
  EXPECT_FALSE(evaluation.interrupted);
  EXPECT_GT(evaluation.ended_at, evaluation.started_at);
  for (const PlatformResult& result : evaluation.platforms) {
    EXPECT_EQ(result.rank, 1 + &result - evaluation.platforms.data());
    EXPECT_TRUE(result.feasible && result.emulated);
    EXPECT_EQ(result.summary.due, 12);
    EXPECT_EQ(result.summary.completed, 12);
    EXPECT_EQ(result.summary.output_tokens, 12 * 8);
    EXPECT_EQ(result.verdict.attainment.met, 12);
    EXPECT_EQ(result.summary.token_source, measure::TokenSource::kUsage);
    // A busy machine makes it longer, never shorter.
    EXPECT_GE(*result.summary.ttft_ms.min, 5);
    EXPECT_GE(*result.summary.e2e_ms.min, 5 + 7);
  }
  const PlatformResult& api = evaluation.platforms[2];
  EXPECT_EQ(api.cost->total.to_text(),
            fmt::format("{} USD", static_cast<double>(*api.summary.input_tokens + 96) / 1000));
  EXPECT_THAT(evaluation.platforms[0].cost->bill.total.to_text(), HasSubstr(" CNY"));
}

// From the first send to the last byte of each round, summed: what lies between is another's time.
TEST_F(EvaluationTest, the_window_is_the_sum_of_the_blocks) {
  store::Store store = std::move(store::Store::open(folder_.at("runs.db")).value());
  const std::string run_id = store.begin_run("evaluate", "s", "{}").value();
  EvaluationRun run(suite(platform("a", kQuick, "price: 1 USD/h") +
                          platform("b", "ttft: {p50: 30ms}, itl: {p50: 1ms}", "price: 1 USD/h")));
  const Evaluation evaluation = run.run(run_id, &store).value();
  for (const PlatformResult& result : evaluation.platforms) {
    base::Nanos blocks = 0;
    base::Nanos began = std::numeric_limits<base::Nanos>::max();
    base::Nanos ended = 0;
    for (std::int64_t round = 0; round < 3; ++round) {
      const auto logs = store.load_requests(run_id, result.name, round).value();
      ASSERT_EQ(logs.size(), 4U);
      base::Nanos first = std::numeric_limits<base::Nanos>::max();
      base::Nanos last = 0;
      for (const RequestLog& log : logs) {
        first = std::min(first, log.sent_at);
        last = std::max(last, log.end_at.value());
      }
      blocks += last - first;
      began = std::min(began, first);
      ended = std::max(ended, last);
    }
    EXPECT_EQ(result.window, blocks);
    EXPECT_LT(result.window, ended - began);
    EXPECT_DOUBLE_EQ(*result.summary.output_throughput, 96 / base::to_seconds(blocks));
  }
}

TEST_F(EvaluationTest, each_round_begins_with_another_platform) {
  store::Store store = std::move(store::Store::open(folder_.at("runs.db")).value());
  const std::string run_id = store.begin_run("evaluate", "s", "{}").value();
  EvaluationRun run(suite(platform("a", kQuick, "price: 1 USD/h") +
                          platform("b", kQuick, "price: 1 USD/h") +
                          platform("c", kQuick, "price: 1 USD/h")));
  ASSERT_TRUE(run.run(run_id, &store));
  std::vector<std::pair<base::Nanos, std::string>> blocks;
  for (const char* name : {"a", "b", "c"}) {
    for (std::int64_t round = 0; round < 3; ++round) {
      blocks.emplace_back(store.load_requests(run_id, name, round).value().at(0).sent_at, name);
    }
  }
  std::ranges::sort(blocks);
  std::string order;
  for (const auto& [began, name] : blocks) {
    order += name;
  }
  EXPECT_EQ(order, "abcbcacab");
}

TEST_F(EvaluationTest, the_store_holds_every_request) {
  store::Store store = std::move(store::Store::open(folder_.at("runs.db")).value());
  const std::string run_id = store.begin_run("evaluate", "s", "{}").value();
  EvaluationRun run(
      suite(platform("a", kQuick, "price: 1 USD/h") +
            platform("b", fmt::format("{}, failure_rate: 0.5", kQuick), "price: 1 USD/h")));
  const Evaluation evaluation = run.run(run_id, &store).value();
  EXPECT_FALSE(evaluation.store_failure);
  for (const PlatformResult& result : evaluation.platforms) {
    const auto logs = store.load_requests(run_id, result.name).value();
    EXPECT_EQ(logs.size(), 12U);
    const measure::Summary again = measure::summarise(logs);
    EXPECT_EQ(again.completed, result.summary.completed);
    EXPECT_EQ(again.failures, result.summary.failures);
    // Summed in another order.
    EXPECT_NEAR(*again.ttft_ms.mean, *result.summary.ttft_ms.mean, 1e-9);
  }
}

TEST_F(EvaluationTest, a_cheaper_platform_that_misses_the_sla_comes_last) {
  const Evaluation evaluation = evaluated(
      platform("cheap and late", "ttft: {p50: 1100ms}, itl: {p50: 1ms}", "price: 0.01 USD/h") +
          platform("in time", kQuick, "price: 9 USD/h"),
      {.load = "max_concurrency: 4",
       .sla = R"(terms: ["ttft.p90<1s"])",
       .requests = 4,
       .rounds = 1});
  EXPECT_THAT(names(evaluation), ElementsAre("in time", "cheap and late"));
  const PlatformResult& late = evaluation.platforms[1];
  EXPECT_FALSE(late.rank || late.feasible);
  EXPECT_EQ(late.reasons.at(0).text_en,
            "ttft.p90<1s: 0 of 4 due requests met it (0 %), 90 % are asked for");
  EXPECT_FALSE(late.cost->cptls) << "no token was good";
}

TEST_F(EvaluationTest, failures_are_misses) {
  for (const auto& [kind, outcome] :
       std::vector<std::pair<const char*, Outcome>>{{"unavailable", Outcome::kRefused},
                                                    {"truncated", Outcome::kTruncated},
                                                    {"error_in_band", Outcome::kErrorInBand},
                                                    {"no_token", Outcome::kNoToken}}) {
    const Evaluation evaluation =
        evaluated(platform("p", fmt::format("{}, failure_rate: 1, failure_kind: {}", kQuick, kind),
                           "price: 1 USD/h"),
                  {.requests = 4, .rounds = 2});
    const PlatformResult& result = evaluation.platforms.at(0);
    EXPECT_EQ(result.summary.due, 4) << kind;
    EXPECT_EQ(result.summary.failures.at(outcome), 4) << kind;
    EXPECT_EQ(result.verdict.attainment.requests(), 0) << kind;
    EXPECT_FALSE(result.failure_examples.at(outcome).empty()) << kind;
    EXPECT_FALSE(result.rank) << kind;
    EXPECT_EQ(result.reasons.at(0).text_en, "no request completed") << kind;
    ASSERT_TRUE(result.cost) << kind;
    EXPECT_FALSE(result.cost->cptls || result.cost->per_million_output_tokens) << kind;
    EXPECT_FALSE(result.summary.ttft_ms.p50) << kind;
  }
}

TEST_F(EvaluationTest, a_platform_that_is_not_there_is_a_row_with_the_reason) {
  const Evaluation evaluation =
      evaluated(at_url("gone", kNobody) + platform("there", kQuick, "price: 1 USD/h"));
  EXPECT_THAT(names(evaluation), ElementsAre("there", "gone"));
  EXPECT_EQ(evaluation.platforms[0].rank, 1);
  const PlatformResult& gone = evaluation.platforms[1];
  EXPECT_THAT(gone.reasons.at(0).text_en, HasSubstr("could not be measured: http://127.0.0.1:1: "));
  EXPECT_THAT(gone.reasons.at(0).text_zh, HasSubstr("无法测量：http://127.0.0.1:1"));
  EXPECT_FALSE(gone.emulated || gone.cost || gone.rank);
  EXPECT_EQ(gone.summary.due, 0);
}

TEST_F(EvaluationTest, none_there_is_the_environment_s_failure) {
  EvaluationRun run(suite(at_url("a", kNobody) + at_url("b", kNobody)));
  const auto evaluation = run.run("run", nullptr);
  ASSERT_FALSE(evaluation);
  EXPECT_EQ(evaluation.error().code, base::ErrorCode::kEnvironment);
  EXPECT_EQ(evaluation.error().where, kNobody);
}

TEST_F(EvaluationTest, optional_ones_that_are_absent_are_named) {
  ::unsetenv("STEELYARD_TEST_URL");
  const std::string absent =
      "  - {name: gone, base_url: \"${STEELYARD_TEST_URL}\", optional: true, model: m, offer: "
      "{price: 1 USD/h, source: s, date: d}}\n";
  const Evaluation evaluation = evaluated(absent + platform("there", kQuick, "price: 1 USD/h"));
  EXPECT_THAT(names(evaluation), ElementsAre("there"));
  EXPECT_EQ(evaluation.notes.at(0).text_en, "gone was left out: STEELYARD_TEST_URL is not set");
  EXPECT_EQ(evaluation.notes.at(0).text_zh, "未测 gone：未设置 STEELYARD_TEST_URL");

  EvaluationRun alone(suite(absent));
  const auto none = alone.run("run", nullptr);
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().code, base::ErrorCode::kEnvironment);
  EXPECT_THAT(base::to_line(none.error()), HasSubstr("STEELYARD_TEST_URL is not set"));
}

TEST_F(EvaluationTest, the_client_s_own_refusals_are_told) {
  // A real platform behind the same protocol, which knows no such model.
  const auto served = EmulatorHost::start({.name = "e", .model = "another"}).value();
  const Evaluation evaluation =
      evaluated(at_url("strange", served->url()) + platform("there", kQuick, "price: 1 USD/h"));
  EXPECT_THAT(names(evaluation), ElementsAre("there", "strange"));
  EXPECT_THAT(evaluation.platforms[1].reasons.at(0).text_en,
              testing::AllOf(HasSubstr("HTTP 404"), HasSubstr("the server's own name")));
}

TEST_F(EvaluationTest, an_emulator_outside_is_known_by_its_own_word) {
  const auto served = EmulatorHost::start({.name = "e",
                                           .model = "m",
                                           .ttft = {base::kMillisecond, base::kMillisecond},
                                           .itl = {base::kMillisecond, base::kMillisecond}})
                          .value();
  EXPECT_TRUE(evaluated(at_url("outside", served->url())).platforms.at(0).emulated);
}

// Stops a run of many slow requests once the first of platform `after` has ended.
Evaluation stopped_half_way(EvaluationRun& run, const std::string& after, store::Store* store,
                            const std::string& run_id) {
  std::optional<Evaluation> evaluation;
  std::atomic<bool> done{false};
  std::thread worker([&] {
    auto result = run.run(run_id, store);
    EXPECT_TRUE(result);
    evaluation = std::move(*result);
    done = true;
  });
  while (!done) {
    const EvaluationRun::Where where = run.where();
    if (where.text == after && where.progress && where.progress->ended >= 2) {
      run.stop();
      break;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  worker.join();
  return std::move(*evaluation);
}

TEST_F(EvaluationTest, what_was_measured_before_a_stop_is_kept_and_ranked) {
  store::Store store = std::move(store::Store::open(folder_.at("runs.db")).value());
  const std::string run_id = store.begin_run("evaluate", "s", "{}").value();
  const std::string slow = "ttft: {p50: 20ms}, itl: {p50: 1ms}";
  EvaluationRun run(suite(platform("a", slow, "price: 2 USD/h") +
                              platform("b", slow, "price: 1 USD/h") +
                              platform("c", slow, "price: 1 USD/h"),
                          {.load = "max_concurrency: 1", .requests = 60, .rounds = 2}));
  const Evaluation evaluation = stopped_half_way(run, "round 1/2, b", &store, run_id);
  EXPECT_TRUE(evaluation.interrupted);
  ASSERT_EQ(evaluation.platforms.size(), 3U);
  EXPECT_EQ(evaluation.platforms[2].name, "c");
  EXPECT_EQ(evaluation.platforms[2].reasons.at(0).text_en, "not measured before the interruption");
  for (const PlatformResult& result : std::span(evaluation.platforms).subspan(0, 2)) {
    EXPECT_TRUE(result.rank) << result.name;
    EXPECT_EQ(result.summary.failed, 0) << "what was out is in no figure";
    EXPECT_EQ(store.load_requests(run_id, result.name).value().size(),
              static_cast<std::size_t>(result.summary.due));
  }
  EXPECT_THAT(names(evaluation), UnorderedElementsAre("a", "b", "c"));
}

TEST_F(EvaluationTest, stopped_before_it_began_it_has_measured_nothing) {
  EvaluationRun run(suite(platform("a", kQuick, "price: 2 USD/h")));
  run.stop();
  const Evaluation evaluation = run.run("run", nullptr).value();
  EXPECT_TRUE(evaluation.interrupted);
  EXPECT_EQ(evaluation.platforms.at(0).summary.due, 0);
  EXPECT_FALSE(evaluation.platforms.at(0).rank);
}

TEST_F(EvaluationTest, stopped_after_all_it_is_whole) {
  EvaluationRun run(suite(platform("a", kQuick, "price: 2 USD/h"), {.requests = 4}));
  const auto evaluation = run.run("run", nullptr);
  run.stop();
  EXPECT_FALSE(evaluation->interrupted);
}

TEST_F(EvaluationTest, a_time_that_runs_out_is_rented_too) {
  const std::string hangs =
      "  - {name: hangs, emulate: {ttft: {p50: 10s}, itl: {p50: 1ms}}, request_timeout: 300ms, "
      "offer: {price: 1 USD/h, source: s, date: d}}\n";
  const Evaluation evaluation =
      evaluated(hangs, {.load = "warmups: 0, max_concurrency: 2", .requests = 2, .rounds = 1});
  const PlatformResult& result = evaluation.platforms.at(0);
  EXPECT_EQ(result.summary.failures.at(Outcome::kTimeout), 2);
  EXPECT_GE(result.window, 300 * base::kMillisecond);
  ASSERT_TRUE(result.cost);
  EXPECT_GT(result.cost->total.amount(), 0);
}

TEST_F(EvaluationTest, a_store_that_is_held_for_a_while_gets_all_in_the_end) {
  const std::string path = folder_.at("runs.db");
  store::Store store = std::move(store::Store::open(path, 20 * base::kMillisecond).value());
  const std::string run_id = store.begin_run("evaluate", "s", "{}").value();
  EvaluationRun run(suite(platform("a", kQuick, "price: 2 USD/h")));
  std::optional<SQLite::Transaction> held;
  SQLite::Database other(path, SQLite::OPEN_READWRITE);
  held.emplace(other, SQLite::TransactionBehavior::IMMEDIATE);
  std::thread release([&] {
    while (run.where().text != "round 2/3, a") {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    held.reset();
  });
  const Evaluation evaluation = run.run(run_id, &store).value();
  release.join();
  EXPECT_FALSE(evaluation.store_failure);
  EXPECT_EQ(store.load_requests(run_id, "a").value().size(), 12U);
}

TEST_F(EvaluationTest, a_store_that_stays_held_costs_no_measurement) {
  const std::string path = folder_.at("runs.db");
  store::Store store = std::move(store::Store::open(path, 20 * base::kMillisecond).value());
  const std::string run_id = store.begin_run("evaluate", "s", "{}").value();
  SQLite::Database other(path, SQLite::OPEN_READWRITE);
  const SQLite::Transaction held(other, SQLite::TransactionBehavior::IMMEDIATE);
  EvaluationRun run(suite(platform("a", kQuick, "price: 2 USD/h")));
  const Evaluation evaluation = run.run(run_id, &store).value();
  EXPECT_EQ(evaluation.platforms.at(0).rank, 1);
  ASSERT_TRUE(evaluation.store_failure);
  EXPECT_EQ(evaluation.store_failure->code, base::ErrorCode::kEnvironment);
  EXPECT_THAT(base::to_line(*evaluation.store_failure), HasSubstr("runs.db: locked by another"));
}

TEST_F(EvaluationTest, an_open_loop_and_as_many_rounds_as_requests) {
  const Evaluation evaluation =
      evaluated(platform("a", kQuick, "price: 2 USD/h"),
                {.load = "request_rate: 200", .requests = 10, .rounds = 10});
  EXPECT_EQ(evaluation.platforms.at(0).summary.completed, 10);
  EXPECT_GT(evaluation.platforms.at(0).window, 0);
}

}  // namespace
}  // namespace steelyard::study
