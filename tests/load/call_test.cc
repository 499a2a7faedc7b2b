// Requests that take several exchanges: what is sent, where to, and what the log makes of it.
#include "answers.h"

#include "measure/request_metrics.h"
#include "one_request.h"
#include "platform/modal.h"
#include "platform/replicate.h"
#include "scripted_server.h"

namespace steelyard::load {
namespace {

using measure::Outcome;

constexpr std::string_view kPlace = "/v1/chat/completions?__modal_function_call_id=fc-1";

std::string see_other(const std::string& location) {
  return "HTTP/1.1 303 See Other\r\nLocation: " + location + "\r\nContent-Length: 0\r\n\r\n";
}

Planned modal_plan() {
  Planned plan = plan_of(1);
  plan->dialect = &platform::kModalChat;
  plan->make_call = [] { return platform::kModalChat.make_call({}); };
  return plan;
}

measure::RequestLog only_log(const Target& target, const Planned& plan) {
  Collected sink;
  EXPECT_TRUE(Engine(target, *plan).run(sink));
  return sink.logs.at(0);
}

TEST(Call, a_redirect_is_followed_with_get_and_its_time_counts) {
  const std::string moved = see_other(std::string(kPlace));
  ScriptedServer server({{moved.substr(0, 20) + Script::kPause + moved.substr(20)},
                         {moved},
                         {stream({content("one"), content("two"), finish(), usage(5, 2), kDone})}});
  Target target = target_at(server.url());
  target.auth = platform::bearer(base::Secret("sk-0123456789"));
  const measure::RequestLog log = only_log(target, modal_plan());
  EXPECT_EQ(log.outcome, Outcome::kCompleted) << log.failure;
  EXPECT_EQ(log.http_status, 200);
  EXPECT_TRUE(log.streamed);
  EXPECT_EQ(log.output_tokens, 2);
  EXPECT_EQ(server.requests(), 3);
  EXPECT_EQ(server.connections(), 1);
  EXPECT_THAT(server.last_request(), testing::StartsWith("GET " + std::string(kPlace) + " HTTP"));
  EXPECT_THAT(server.last_request(), testing::HasSubstr("Authorization: Bearer sk-0123456789\r\n"));
  EXPECT_GE(*measure::metrics_of(log).ttft, 40 * base::kMillisecond) << "the pause is in it";
}

TEST(Call, the_key_goes_to_no_other_host) {
  for (const std::string away :
       {"http://127.0.0.2:9/x", "https://evil.example/x", "x", "ftp://a/"}) {
    ScriptedServer server({{see_other(away)}});
    Target target = target_at(server.url());
    target.auth = platform::bearer(base::Secret("sk-0123456789"));
    const measure::RequestLog log = only_log(target, modal_plan());
    EXPECT_EQ(log.outcome, Outcome::kProtocol) << away << ": " << log.failure;
    EXPECT_EQ(server.requests(), 1);
  }
}

TEST(Call, what_goes_wrong_on_the_way_is_an_outcome) {
  const std::string moved = see_other(std::string(kPlace));
  const std::string refused =
      "HTTP/1.1 429 Too Many Requests\r\nContent-Length: 26\r\n\r\n{\"error\":\"slow down, bot\"}";
  const auto outcome = [](std::vector<Script> scripts) {
    ScriptedServer server(std::move(scripts));
    Target target = target_at(server.url());
    target.request_timeout = 2 * base::kSecond;
    return only_log(target, modal_plan()).outcome;
  };
  EXPECT_EQ(outcome({{moved}, {refused}}), Outcome::kRateLimited);
  EXPECT_EQ(outcome({{moved}, {"", Script::End::kClose}}), Outcome::kConnection);
  EXPECT_EQ(outcome({{moved}, {stream({content("one")})}}), Outcome::kTruncated);
  EXPECT_EQ(outcome({{see_other("")}}), Outcome::kErrorInBand);
}

std::string json(std::string_view status, const std::string& body) {
  return fmt::format(
      "HTTP/1.1 {}\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n{}", status,
      body.size(), body);
}

Planned replicate_plan(bool streamed) {
  Planned plan = plan_of(1);
  plan->dialect = &platform::kReplicate;
  plan->stream = streamed;
  plan->make_call = [streamed] {
    platform::RequestOptions options;
    options.stream = streamed;
    return platform::kReplicate.make_call(options);
  };
  return plan;
}

constexpr std::string_view kEnded =
    R"({"id":"p1","status":"succeeded","output":["one"," two"],"error":null,
        "created_at":"2026-12-01T08:00:00.000Z","started_at":"2026-12-01T08:00:01.500Z",
        "completed_at":"2026-12-01T08:00:02.000Z",
        "metrics":{"predict_time":0.5,"total_time":2.0,"input_token_count":4,"output_token_count":3}})";

TEST(Call, a_prediction_is_made_its_stream_read_and_its_account_taken) {
  const std::string made = json(
      "201 Created",
      R"({"id":"p1","status":"starting","urls":{"get":"/v1/predictions/p1","stream":"/v1/streams/p1"}})");
  const std::string events =
      stream({"event: output\nid: 1\ndata: one\n\n", ": a comment\n\nevent: logs\ndata: x\n\n",
              "event: output\ndata:  two\n\n", "event: done\ndata: {}\n\n"});
  const std::string running = json("200 OK", R"({"id":"p1","status":"processing"})");
  ScriptedServer server({{made}, {events}, {running}, {json("200 OK", std::string(kEnded))}});
  Target target = target_at(server.url());
  const measure::RequestLog log = only_log(target, replicate_plan(true));
  EXPECT_EQ(log.outcome, Outcome::kCompleted) << log.failure;
  EXPECT_TRUE(log.streamed);
  EXPECT_EQ(log.output_tokens, 3);
  EXPECT_EQ(log.token_source, measure::TokenSource::kUsage);
  EXPECT_EQ(log.server.queue, 1500 * base::kMillisecond);
  EXPECT_EQ(log.server.execute, 500 * base::kMillisecond);
  EXPECT_EQ(server.requests(), 4);
  EXPECT_THAT(server.last_request(), testing::StartsWith("GET /v1/predictions/p1 HTTP"));
  EXPECT_LT(*measure::metrics_of(log).e2e, 500 * base::kMillisecond) << "looking is in no latency";
}

TEST(Call, a_prediction_that_streams_nothing_is_looked_at_until_it_ends) {
  const std::string made =
      json("201 Created", R"({"id":"p1","status":"starting","urls":{"get":"/v1/predictions/p1"}})");
  for (const bool streamed : {true, false}) {
    ScriptedServer server({{made}, {json("200 OK", std::string(kEnded))}});
    const measure::RequestLog log = only_log(target_at(server.url()), replicate_plan(streamed));
    EXPECT_EQ(log.outcome, Outcome::kCompleted) << log.failure;
    EXPECT_FALSE(log.streamed);
    EXPECT_EQ(log.output_tokens, 3);
    EXPECT_EQ(log.server.queue, 1500 * base::kMillisecond);
  }
}

TEST(Call, predictions_that_fail_are_outcomes_with_the_platforms_words) {
  const std::string made = json(
      "201 Created",
      R"({"id":"p1","status":"starting","urls":{"get":"/v1/predictions/p1","stream":"/v1/streams/p1"}})");
  const auto log_of = [](std::vector<Script> scripts) {
    ScriptedServer server(std::move(scripts));
    return only_log(target_at(server.url()), replicate_plan(true));
  };
  const auto told = log_of({{made},
                            {stream({"event: error\ndata: {\"detail\":\"out of memory\"}\n\n",
                                     "event: done\ndata: {\"reason\":\"error\"}\n\n"})},
                            {json("200 OK", R"({"status":"failed","error":"out of memory"})")}});
  EXPECT_EQ(told.outcome, Outcome::kErrorInBand);
  const auto limited = log_of(
      {{json("429 Too Many Requests", R"({"detail":"Request was throttled. resets in ~30s."})")}});
  EXPECT_EQ(limited.outcome, Outcome::kRateLimited);
  EXPECT_THAT(limited.failure, testing::HasSubstr("Request was throttled"));
  const auto cut = log_of({{made},
                           {stream({"event: output\ndata: one\n\n"})},
                           {json("500 Internal Server Error", "{}")}});
  EXPECT_EQ(cut.outcome, Outcome::kTruncated) << "a stream without done, and no account of it";
}

TEST(Call, without_one_a_redirect_is_a_refusal) {
  ScriptedServer server({{see_other(std::string(kPlace))}});
  const measure::RequestLog log = only_log(target_at(server.url()), plan_of(1));
  EXPECT_EQ(log.outcome, Outcome::kRefused);
  EXPECT_EQ(log.http_status, 303);
}

}  // namespace
}  // namespace steelyard::load
