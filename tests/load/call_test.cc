// Requests that take several exchanges: what is sent, where to, and what the log makes of it.
#include "answers.h"

#include "measure/request_metrics.h"
#include "one_request.h"
#include "platform/modal.h"
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
  target.api_key = base::Secret("sk-0123456789");
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
    target.api_key = base::Secret("sk-0123456789");
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

TEST(Call, without_one_a_redirect_is_a_refusal) {
  ScriptedServer server({{see_other(std::string(kPlace))}});
  const measure::RequestLog log = only_log(target_at(server.url()), plan_of(1));
  EXPECT_EQ(log.outcome, Outcome::kRefused);
  EXPECT_EQ(log.http_status, 303);
}

}  // namespace
}  // namespace steelyard::load
