// Sweeps and searches against an emulator whose capacity is known: its slots, each busy for the
// service time.
#include "study/load_study.h"

#include <thread>

#include "study/emulator_host.h"

namespace steelyard::study {
namespace {

using base::kMillisecond;
using base::kSecond;
using testing::HasSubstr;

// 20 ms and 19 gaps of 10 ms: 210 ms a request.
emulate::Profile profile() {
  emulate::Profile profile;
  profile.ttft = {20 * kMillisecond, 20 * kMillisecond};
  profile.itl = {10 * kMillisecond, 10 * kMillisecond};
  profile.slots = 4;
  return profile;
}

LoadStudyOptions options_for(const std::string& url, std::string_view term = "") {
  LoadStudyOptions options;
  options.target.url = *wire::parse_url("", url);
  options.target.path = "/v1/chat/completions";
  options.options.model = "emulated-model";
  options.dataset.random_input_len = 10;
  options.dataset.random_output_len = 20;
  if (!term.empty()) {
    options.sla = {{quantity::parse_sla_term("", term).value()}, 0.9};
  }
  options.rules.least = kSecond / 2;
  options.rules.most = 2 * kSecond;
  options.run_id = "study";
  return options;
}

Load concurrency(double slots) { return {Load::Kind::kConcurrency, slots, {}}; }

// With five users at four slots each waits 50 ms for the next one that is free.
TEST(LoadStudy, finds_the_concurrency_that_the_slots_allow) {
  const auto host = EmulatorHost::start(profile()).value();
  LoadStudy study(options_for(host->url(), "ttft<60ms"));
  const LoadStudyResult result =
      study.search(Load::Kind::kConcurrency, {3, 1, 64, true, 0.05}).value();
  EXPECT_EQ(result.end, LoadStudyResult::End::kDone);
  ASSERT_TRUE(result.best);
  EXPECT_EQ(result.steps[*result.best].load.value, 4);
  EXPECT_TRUE(result.confirmed);
  EXPECT_EQ(result.least_missed, 5);
  for (const StepResult& step : result.steps) {
    EXPECT_TRUE(step.settled) << to_text(step.load);
    EXPECT_LE(*step.output_tokens_per_s(), 20 * 4 / 0.21 * 1.15);
    EXPECT_EQ(step.report.abandoned, 0);
  }
}

TEST(LoadStudy, finds_the_rate_that_the_slots_allow) {
  const auto host = EmulatorHost::start(profile()).value();
  LoadStudy study(options_for(host->url(), "e2e<700ms"));
  const LoadStudyResult result =
      study.search(Load::Kind::kRate, {12, 0.1, 1'000, false, 0.2}).value();
  ASSERT_TRUE(result.best);
  const double law = 4 / 0.21;
  EXPECT_GE(result.steps[*result.best].load.value, 0.6 * law);
  EXPECT_LE(result.steps[*result.best].load.value, 1.15 * law);
}

TEST(LoadStudy, a_platform_that_never_meets_it_and_one_that_always_does) {
  const auto host = EmulatorHost::start(profile()).value();
  const LoadStudyResult none = LoadStudy(options_for(host->url(), "ttft<10ms"))
                                   .search(Load::Kind::kConcurrency, {4, 1, 64, true, 0.05})
                                   .value();
  EXPECT_FALSE(none.best);
  EXPECT_EQ(none.least_missed, 1);
  EXPECT_EQ(none.steps.size(), 3U);  // 4, 2, 1
  const LoadStudyResult all = LoadStudy(options_for(host->url(), "ttft<20s"))
                                  .search(Load::Kind::kConcurrency, {4, 1, 8, true, 0.05})
                                  .value();
  EXPECT_EQ(all.steps.at(all.best.value()).load.value, 8);
  EXPECT_FALSE(all.least_missed);
}

TEST(LoadStudy, a_sweep_measures_each_load) {
  const auto host = EmulatorHost::start(profile()).value();
  LoadStudy study(options_for(host->url()));
  const std::vector<Load> loads = {concurrency(1), concurrency(4), concurrency(8)};
  const LoadStudyResult result = study.sweep(loads).value();
  ASSERT_EQ(result.steps.size(), 3U);
  for (const StepResult& step : result.steps) {
    EXPECT_EQ(step.finding.verdict, StepVerdict::kNotAsked);
    EXPECT_NEAR(*step.mean_out, step.load.value, 0.5);
    EXPECT_GE(step.window, kSecond / 2);
  }
  EXPECT_GT(*result.steps[1].output_tokens_per_s(), 2 * *result.steps[0].output_tokens_per_s());
}

TEST(LoadStudy, time_ends_it_and_the_steps_stay) {
  const auto host = EmulatorHost::start(profile()).value();
  LoadStudyOptions options = options_for(host->url(), "ttft<60ms");
  options.budget.time = 4 * kSecond;
  const base::Nanos began = base::monotonic_now();
  const LoadStudyResult result =
      LoadStudy(options).search(Load::Kind::kConcurrency, {1, 1, 64, true, 0.01}).value();
  EXPECT_EQ(result.end, LoadStudyResult::End::kTimeOver);
  EXPECT_GE(result.steps.size(), 1U);
  EXPECT_LT(base::monotonic_now() - began, 60 * kSecond);
}

// 20 tokens out and about 10 in: a fiftieth of a dollar at the most.
TEST(LoadStudy, money_ends_it_before_its_bound) {
  const auto host = EmulatorHost::start(profile()).value();
  LoadStudyOptions options = options_for(host->url(), "ttft<60ms");
  const auto a_token = quantity::parse_price("", "0.0002 USD/token").value();
  options.budget.offer = price::Offer{price::PerToken{a_token, a_token, {}, {}}, "", "", ""};
  options.budget.most = quantity::Money::parse("", "0.3 USD").value();
  const LoadStudyResult result =
      LoadStudy(options).search(Load::Kind::kConcurrency, {1, 1, 64, true, 0.01}).value();
  EXPECT_EQ(result.end, LoadStudyResult::End::kMoneyOver);
  EXPECT_FALSE(result.spent->exceeds(*options.budget.most));
  EXPECT_GT(result.spent->amount(), 0.25);
}

TEST(LoadStudy, a_stop_keeps_the_steps_that_ended) {
  const auto host = EmulatorHost::start(profile()).value();
  LoadStudy study(options_for(host->url()));
  std::thread stopper([&] {
    while (!study.where().text.starts_with("step 2")) {
      std::this_thread::yield();
    }
    study.stop();
  });
  const std::vector<Load> loads(5, concurrency(2));
  const LoadStudyResult result = study.sweep(loads).value();
  stopper.join();
  EXPECT_EQ(result.end, LoadStudyResult::End::kInterrupted);
  EXPECT_EQ(result.steps.size(), 1U);
}

TEST(LoadStudy, a_server_that_is_not_there_is_an_error) {
  LoadStudy study(options_for("http://127.0.0.1:1"));
  const std::vector<Load> loads = {concurrency(1)};
  EXPECT_EQ(study.sweep(loads).error().code, base::ErrorCode::kEnvironment);
}

TEST(LoadStudy, a_trace_keeps_its_own_arrivals) {
  workload::DatasetOptions dataset;
  EXPECT_TRUE(check("--find-max", dataset));
  dataset.dataset = workload::Dataset::kTrace;
  EXPECT_THAT(base::to_line(check("--find-max", dataset).error()),
              HasSubstr("--find-max: trace has arrivals of its own"));
}

}  // namespace
}  // namespace steelyard::study
