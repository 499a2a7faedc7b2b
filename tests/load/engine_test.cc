// The engine against an emulator on its own thread: when it sends, and when it stops.
#include "load/engine.h"

#include <thread>

#include "answers.h"
#include "measure/summary.h"
#include "one_request.h"
#include "platform/dialect.h"
#include "scripted_server.h"
#include "study/emulator_host.h"

namespace steelyard::load {
namespace {

using base::kMillisecond;
using measure::Outcome;

emulate::Profile quick() {
  emulate::Profile profile;
  profile.ttft = {20 * kMillisecond, 20 * kMillisecond};
  profile.itl = {kMillisecond, kMillisecond};
  return profile;
}

Target target_of(const study::EmulatorHost& host) {
  Target target = target_at(wire::parse_url("", host.url()).value());
  target.path = "/v1/chat/completions";
  return target;
}

Planned plan_for(std::size_t n, base::Nanos gap, std::int64_t tokens = 5) {
  std::vector<workload::Request> requests;
  for (std::size_t i = 0; i < n; ++i) {
    requests.push_back({"one two", 2, tokens, static_cast<base::Nanos>(i) * gap});
  }
  return Planned(std::move(requests));
}

std::int64_t most_at_once(const std::vector<measure::RequestLog>& logs) {
  std::int64_t most = 0;
  for (const measure::RequestLog& one : logs) {
    most = std::max(most, static_cast<std::int64_t>(
                              std::ranges::count_if(logs, [&](const measure::RequestLog& other) {
                                return other.sent_at <= one.sent_at && *other.end_at > one.sent_at;
                              })));
  }
  return most;
}

TEST(Engine, a_closed_loop_fills_its_slots_and_no_more) {
  const auto host = study::EmulatorHost::start(quick()).value();
  const Target target = target_of(*host);
  Planned plan = plan_for(40, 0);
  plan->closed_loop = true;
  plan->max_concurrency = 8;
  Collected sink;
  const RunReport report = Engine(target, *plan).run(sink).value();
  ASSERT_EQ(sink.logs.size(), 40U);
  EXPECT_EQ(report.sent, 40);
  EXPECT_EQ(most_at_once(sink.logs), 8);
  EXPECT_EQ(report.emulated_by, "emulated");
  for (const measure::RequestLog& log : sink.logs) {
    EXPECT_EQ(log.outcome, Outcome::kCompleted) << log.failure;
    EXPECT_EQ(log.output_tokens, 5);
    EXPECT_LT(log.sent_at - log.due_at, 100 * kMillisecond);
  }
}

TEST(Engine, per_request_opens_a_connection_for_each_and_times_it_apart) {
  for (const Reuse reuse : {Reuse::kKeep, Reuse::kPerRequest}) {
    ScriptedServer server({{stream({content("one"), finish(), kDone})}});
    Target target = target_at(server.url());
    target.reuse = reuse;
    const Planned plan = plan_of(5);
    Collected sink;
    const RunReport report = Engine(target, *plan).run(sink).value();
    const bool each = reuse == Reuse::kPerRequest;
    EXPECT_EQ(server.connections(), each ? 5 : 1);
    EXPECT_EQ(report.health.connects.all.count(), each ? 5 : 1);
    EXPECT_EQ(report.health.connects.tcp.count(), each ? 5 : 1);
    EXPECT_EQ(report.health.connects.tls.count(), 0);
    EXPECT_TRUE(report.health.connects.dns);
    EXPECT_EQ(report.health.stale_connections, 0);
    const bool told = server.last_request().find("Connection: close\r\n") != std::string::npos;
    EXPECT_EQ(told, each);
    ASSERT_EQ(sink.logs.size(), 5U);
    for (const measure::RequestLog& log : sink.logs) {
      EXPECT_EQ(log.outcome, Outcome::kCompleted) << log.failure;
      EXPECT_EQ(log.connect.has_value(), each);
      EXPECT_FALSE(log.tls_handshake);
    }
  }
}

TEST(Engine, every_send_over_the_loopback_bears_the_kernels_stamp) {
  ScriptedServer server({{stream({content("one"), finish(), kDone})}});
  const Target target = target_at(server.url());
  const Planned plan = plan_of(20);
  Collected sink;
  const RunReport report = Engine(target, *plan).run(sink).value();
  EXPECT_EQ(report.health.unstamped_sends, 0);
  ASSERT_EQ(sink.logs.size(), 20U);
  for (const measure::RequestLog& log : sink.logs) {
    EXPECT_GT(log.sent_at, log.written_at);
    EXPECT_LE(log.sent_at, *log.first_byte_at);
  }
}

TEST(Engine, an_open_loop_keeps_its_schedule_whatever_the_server_does) {
  emulate::Profile slow = quick();
  slow.slots = 1;
  const auto host = study::EmulatorHost::start(slow).value();
  const Target target = target_of(*host);
  const Planned plan = plan_for(20, 5 * kMillisecond);
  Collected sink;
  const RunReport report = Engine(target, *plan).run(sink).value();
  ASSERT_EQ(sink.logs.size(), 20U);
  for (const measure::RequestLog& log : sink.logs) {
    const base::Nanos due = log.due_at - report.began;
    EXPECT_EQ(due % (5 * kMillisecond), 0);
    EXPECT_GE(log.sent_at, log.due_at);
  }
  EXPECT_GT(most_at_once(sink.logs), 3);
}

// Rate 50/s, one slot, 100 ms of service, 8 requests: the k-th waits k * 80 ms, so that E2E from
// the due time has mean 100 + 3.5 * 80 = 380 ms, while service time stays at 100 ms.
TEST(Engine, response_time_counts_the_wait_for_a_slot) {
  emulate::Profile profile;
  profile.ttft = {100 * kMillisecond, 100 * kMillisecond};
  const auto host = study::EmulatorHost::start(profile).value();
  const Target target = target_of(*host);
  Planned plan = plan_for(8, 20 * kMillisecond, 1);
  plan->max_concurrency = 1;
  Collected sink;
  const RunReport report = Engine(target, *plan).run(sink).value();
  const measure::Summary summary = measure::summarise(sink.logs);
  ASSERT_EQ(summary.completed, 8);
  EXPECT_GE(*summary.response_e2e_ms.mean, 380);
  EXPECT_GE(*summary.e2e_ms.mean, 100);
  EXPECT_GE(*summary.response_e2e_ms.mean - *summary.e2e_ms.mean, 275);
  EXPECT_LT(*report.health.achieved_rps, *report.health.asked_rps);
}

TEST(Engine, sends_nothing_new_after_its_time) {
  const auto host = study::EmulatorHost::start(quick()).value();
  const Target target = target_of(*host);
  Planned plan = plan_for(1000, 10 * kMillisecond);
  plan->send_for = 100 * kMillisecond;
  Collected sink;
  const RunReport report = Engine(target, *plan).run(sink).value();
  EXPECT_GE(report.sent, 1);
  EXPECT_LT(report.sent, 100);
  EXPECT_EQ(report.sent + report.not_sent, 1000);
  EXPECT_EQ(sink.logs.size(), static_cast<std::size_t>(report.sent));
}

TEST(Engine, does_not_wait_for_a_due_time_past_its_time) {
  const auto host = study::EmulatorHost::start(quick()).value();
  const Target target = target_of(*host);
  Planned plan = plan_for(3, 100 * base::kSecond);
  plan->send_for = 100 * kMillisecond;
  Collected sink;
  const RunReport report = Engine(target, *plan).run(sink).value();
  EXPECT_EQ(report.sent, 1);
  EXPECT_EQ(report.not_sent, 2);
  EXPECT_FALSE(report.stopped);
  EXPECT_GE(report.ended - report.began, 100 * kMillisecond);
  EXPECT_LT(report.ended - report.began, 50 * base::kSecond);
}

// Ten due at once, one slot, 100 ms each: after 150 ms two are out, and no slot that comes free
// later takes another.
TEST(Engine, what_waits_for_a_slot_when_the_time_is_over_is_not_sent) {
  emulate::Profile profile;
  profile.ttft = {100 * kMillisecond, 100 * kMillisecond};
  const auto host = study::EmulatorHost::start(profile).value();
  const Target target = target_of(*host);
  Planned plan = plan_for(10, 0, 1);
  plan->max_concurrency = 1;
  plan->send_for = 150 * kMillisecond;
  Collected sink;
  const RunReport report = Engine(target, *plan).run(sink).value();
  EXPECT_GE(report.sent, 1);
  EXPECT_LE(report.sent, 2);
  EXPECT_EQ(report.sent + report.not_sent, 10);
}

TEST(Engine, stops_from_another_thread_and_keeps_what_it_has) {
  const auto host = study::EmulatorHost::start(quick()).value();
  const Target target = target_of(*host);
  Planned plan = plan_for(20'000, 0);
  plan->closed_loop = true;
  plan->max_concurrency = 4;
  Collected sink;
  Engine engine(target, *plan);
  std::thread stopper([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
    engine.stop();
  });
  const RunReport report = engine.run(sink).value();
  stopper.join();
  EXPECT_TRUE(report.stopped);
  EXPECT_EQ(report.sent + report.not_sent, 20'000);
  EXPECT_EQ(static_cast<std::int64_t>(sink.logs.size()) + report.abandoned, report.sent);
  EXPECT_LE(report.abandoned, 4);
}

TEST(Engine, drains_from_another_thread_and_loses_nothing_that_is_out) {
  const auto host = study::EmulatorHost::start(quick()).value();
  const Target target = target_of(*host);
  Planned plan = plan_for(20'000, 0);
  plan->closed_loop = true;
  plan->max_concurrency = 4;
  Collected sink;
  Engine engine(target, *plan);
  std::thread drainer([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
    engine.drain();
  });
  const RunReport report = engine.run(sink).value();
  drainer.join();
  EXPECT_FALSE(report.stopped);
  EXPECT_GE(report.sent, 4);
  EXPECT_LT(report.sent, 20'000);
  EXPECT_EQ(report.sent + report.not_sent, 20'000);
  EXPECT_EQ(report.abandoned, 0);
  EXPECT_EQ(static_cast<std::int64_t>(sink.logs.size()), report.sent);
}

// From the sink, on the engine's own thread: three ended, so at most the other four were out.
TEST(Engine, drains_from_within_its_sink) {
  class Draining : public Collected {
   public:
    bool on_finished(std::size_t index, measure::RequestLog& log) override {
      (void)Collected::on_finished(index, log);
      if (logs.size() == 3) {
        engine->drain();
      }
      return true;
    }
    Engine* engine = nullptr;
  };
  const auto host = study::EmulatorHost::start(quick()).value();
  const Target target = target_of(*host);
  Planned plan = plan_for(100, 0);
  plan->closed_loop = true;
  plan->max_concurrency = 4;
  Draining sink;
  Engine engine(target, *plan);
  sink.engine = &engine;
  const RunReport report = engine.run(sink).value();
  EXPECT_EQ(report.abandoned, 0);
  EXPECT_EQ(static_cast<std::int64_t>(sink.logs.size()), report.sent);
  EXPECT_GE(report.sent, 4);
  EXPECT_LE(report.sent, 6);
}

TEST(Engine, a_drain_does_not_wait_for_what_is_due_later) {
  const auto host = study::EmulatorHost::start(quick()).value();
  const Target target = target_of(*host);
  Planned plan = plan_for(3, 100 * base::kSecond);
  Collected sink;
  Engine engine(target, *plan);
  std::thread drainer([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    engine.drain();
  });
  const RunReport report = engine.run(sink).value();
  drainer.join();
  EXPECT_EQ(report.not_sent, 3 - report.sent);
  EXPECT_LT(report.ended - report.began, 50 * base::kSecond);
  EXPECT_EQ(static_cast<std::int64_t>(sink.logs.size()), report.sent);
}

TEST(Engine, may_be_drained_before_it_begins) {
  const auto host = study::EmulatorHost::start(quick()).value();
  const Target target = target_of(*host);
  const Planned plan = plan_for(10, 0);
  Collected sink;
  Engine engine(target, *plan);
  engine.drain();
  const RunReport report = engine.run(sink).value();
  EXPECT_FALSE(report.stopped);
  EXPECT_EQ(report.not_sent, 10);
  EXPECT_TRUE(sink.logs.empty());
}

TEST(Engine, may_be_stopped_before_it_begins) {
  const auto host = study::EmulatorHost::start(quick()).value();
  const Target target = target_of(*host);
  const Planned plan = plan_for(10, 0);
  Collected sink;
  Engine engine(target, *plan);
  engine.stop();
  const RunReport report = engine.run(sink).value();
  EXPECT_TRUE(report.stopped);
  EXPECT_EQ(report.not_sent, 10);
  EXPECT_LT(report.health.wall, base::kSecond);
  EXPECT_TRUE(sink.logs.empty());
}

TEST(Engine, an_unreachable_server_is_the_environments_fault_and_named) {
  const Target target = target_at(wire::parse_url("", "http://127.0.0.1:9").value());
  const Planned plan = plan_for(3, 0);
  Collected sink;
  const auto report = Engine(target, *plan).run(sink);
  ASSERT_FALSE(report);
  EXPECT_EQ(report.error().code, base::ErrorCode::kEnvironment);
  EXPECT_THAT(base::to_line(report.error()), testing::HasSubstr("http://127.0.0.1:9"));
  EXPECT_TRUE(sink.logs.empty());
}

TEST(Engine, a_silent_server_times_out) {
  ScriptedServer server({{"", Script::End::kKeepOpen, 1}});
  Target target = target_at(server.url());
  target.request_timeout = 50 * kMillisecond;
  const Planned plan = plan_for(1, 0);
  Collected sink;
  ASSERT_TRUE(Engine(target, *plan).run(sink));
  ASSERT_EQ(sink.logs.size(), 1U);
  EXPECT_EQ(sink.logs.front().outcome, Outcome::kTimeout);
}

// As llama.cpp's server does: keep-alive is promised, and the connection closed all the same.
TEST(Engine, a_connection_that_died_between_requests_costs_no_request) {
  const std::string body = R"({"choices":[{"message":{"content":"Hiya!"}}]})";
  const std::string answer = fmt::format(
      "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n{}",
      body.size(), body);
  ScriptedServer server({{answer, Script::End::kClose, answer.size()}});
  const Target target = target_at(server.url());
  Planned plan = plan_for(10, 0);
  plan->closed_loop = true;
  plan->max_concurrency = 1;
  Collected sink;
  const RunReport report = Engine(target, *plan).run(sink).value();
  ASSERT_EQ(sink.logs.size(), 10U);
  for (const measure::RequestLog& log : sink.logs) {
    EXPECT_EQ(log.outcome, Outcome::kCompleted) << log.failure;
  }
  EXPECT_EQ(report.sent, 10);
}

TEST(Engine, a_server_that_dies_leaves_outcomes_and_no_hang) {
  auto host = study::EmulatorHost::start(quick()).value();
  const Target target = target_of(*host);
  Planned plan = plan_for(200, 2 * kMillisecond);
  Collected sink;
  std::thread killer([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    host.reset();
  });
  ASSERT_TRUE(Engine(target, *plan).run(sink));
  killer.join();
  ASSERT_EQ(sink.logs.size(), 200U);
  const measure::Summary summary = measure::summarise(sink.logs);
  EXPECT_GT(summary.completed, 0);
  EXPECT_GT(summary.failed, 0);
}

}  // namespace
}  // namespace steelyard::load
