// Requests that say who sends them, before a server that looks.
#include "answers.h"
#include "asked_server.h"
#include "base/text.h"
#include "load/ready_queue.h"
#include "one_request.h"
#include "platform/check_signature.h"
#include "platform/sign_eas.h"
#include "platform/token_keeper.h"
#include "wire/http_date.h"

namespace steelyard::load {
namespace {

using measure::Outcome;
using testing::Each;
using testing::HasSubstr;
using testing::Not;

const base::Secret kSecret("very-secret-0123456789");
const base::Secret kToken("session-token-9876543210");
const platform::AwsCredentials kAws{"AKIDEXAMPLE", kSecret, kToken};
const platform::AwsScope kScope{"us-east-1", "sagemaker"};

std::string answer() { return stream({content("one"), finish(), usage(1, 1), kDone}); }

// As clouds do it: the words of a refusal repeat what came.
std::string refusal(const wire::HttpHead& head) {
  std::string words = "not signed by ";
  words.append(kSecret.reveal()).append(": ").append(head.field("authorization"));
  words.append(" ").append(head.field("x-amz-security-token"));
  return whole("403 Forbidden", "text/plain", words);
}

template <typename Signer>
AskedServer::Answer checked_by(Signer signer) {
  return [signer](const wire::HttpHead& head, const std::string& body) mutable {
    const auto fault = platform::signature_fault(signer, head, body, base::wall_now());
    return fault ? refusal(head) : answer();
  };
}

std::string eas_answer(const wire::HttpHead& head, const std::string& body) {
  const wire::Fields fields = {{"content-type", std::string(head.field("content-type"))}};
  const auto wall = wire::parse_http_date(head.field("date"));
  const wire::Fields made =
      platform::eas_signature(kSecret, {head.method, head.target, fields, body}, wall.value_or(0));
  return wall && made.back().second == head.field("authorization") ? answer() : refusal(head);
}

std::vector<measure::RequestLog> logs_of(const Target& target, const Planned& plan) {
  Collected sink;
  const auto report = Engine(target, *plan).run(sink);
  EXPECT_TRUE(report) << base::to_line(report.error());
  return std::move(sink.logs);
}

std::vector<Outcome> outcomes(AskedServer::Answer server_says, platform::Auth auth) {
  AskedServer server(std::move(server_says));
  Target target = target_at(server.url());
  target.path = "/endpoints/m%3A1/invocations-response-stream";
  target.fields = {{"X-Amz-Target-Variant", "blue"}};
  target.auth = std::move(auth);
  const auto own = platform::Authorizer(target.auth).secrets();
  EXPECT_FALSE(own.empty());
  std::vector<Outcome> found;
  for (const measure::RequestLog& log : logs_of(target, plan_of(300, 4))) {
    found.push_back(log.outcome);
    for (const base::Secret& secret : own) {
      EXPECT_THAT(log.failure, Not(HasSubstr(secret.reveal())));
    }
  }
  EXPECT_EQ(found.size(), 300U);
  return found;
}

TEST(SignedRequests, every_one_is_taken_by_a_server_that_looks) {
  const platform::TencentCredentials tencent{"id", kSecret, kToken};
  const platform::HuaweiCredentials huawei{"id", kSecret, kToken};
  EXPECT_THAT(
      outcomes(checked_by(platform::AwsSigner(kAws, kScope)), platform::AwsAuth{kAws, kScope}),
      Each(Outcome::kCompleted));
  EXPECT_THAT(outcomes(checked_by(platform::TencentSigner(tencent, "tione")),
                       platform::TencentAuth{tencent, "tione"}),
              Each(Outcome::kCompleted));
  EXPECT_THAT(outcomes(checked_by(platform::HuaweiSigner(huawei)), huawei),
              Each(Outcome::kCompleted));
  EXPECT_THAT(outcomes(eas_answer, platform::EasToken{kSecret}), Each(Outcome::kCompleted));
}

TEST(SignedRequests, another_key_is_refused_and_none_is_shown) {
  const platform::AwsScope elsewhere{"eu-west-1", "sagemaker"};
  EXPECT_THAT(
      outcomes(checked_by(platform::AwsSigner(kAws, kScope)), platform::AwsAuth{kAws, elsewhere}),
      Each(Outcome::kRefused));
  EXPECT_THAT(outcomes(eas_answer, platform::EasToken{base::Secret("another")}),
              Each(Outcome::kRefused));
  EXPECT_THAT(outcomes(eas_answer, platform::bearer(kToken)), Each(Outcome::kRefused));
}

// Every message that is ready, and when it was signed.
class Queue {
 public:
  explicit Queue(std::vector<workload::Request> requests)
      : plan_(std::move(requests)),
        authorizer_(target_.auth),
        queue_(target_, *plan_, authorizer_) {
    queue_.fill();
  }
  std::optional<base::Nanos> sign(base::Nanos now) { return queue_.sign_some(0, now); }
  // Until nothing is left to be done at that time.
  void sign_all(base::Nanos now) {
    while (sign(now).value_or(now + base::kSecond) <= now + base::kMillisecond) {
    }
  }
  [[nodiscard]] const Outgoing& front() const { return queue_.front(); }

 private:
  static Target made() {
    Target target = target_at({});
    target.url.host = "host";
    target.url.port = 80;
    target.auth = platform::AwsAuth{kAws, kScope};
    return target;
  }
  Target target_ = made();
  Planned plan_;
  platform::Authorizer authorizer_;
  ReadyQueue queue_;
};

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t found = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) {
    ++found;
  }
  return found;
}

TEST(ReadyQueue, signs_what_is_due_soon_and_anew_what_is_old) {
  const base::Nanos now = base::monotonic_now();
  workload::Request request{"one two", 2, 5};
  request.due = now + 100 * base::kSecond;
  Queue queue({request});
  EXPECT_EQ(queue.sign(now), now + 98 * base::kSecond) << "it is due later";
  EXPECT_EQ(queue.front().signed_at, 0);
  EXPECT_EQ(count(queue.front().message, "Authorization"), 0U);

  const base::Nanos soon = now + 99 * base::kSecond;
  EXPECT_EQ(queue.sign(soon), soon + 50 * base::kSecond);
  EXPECT_EQ(queue.front().signed_at, soon);
  EXPECT_EQ(queue.sign(soon + 40 * base::kSecond), soon + 50 * base::kSecond) << "it holds";
  EXPECT_EQ(queue.front().signed_at, soon);

  const base::Nanos late = soon + 51 * base::kSecond;
  EXPECT_EQ(queue.sign(late), late + 50 * base::kSecond);
  const std::string& message = queue.front().message;
  EXPECT_EQ(queue.front().signed_at, late);
  EXPECT_EQ(count(message, "Authorization: AWS4-HMAC-SHA256"), 1U);
  EXPECT_EQ(count(message, "\r\n\r\n{\"model\""), 1U) << message;
}

TEST(ReadyQueue, signs_a_few_in_a_turn) {
  Queue queue(std::vector<workload::Request>(40, {"one two", 2, 5}));
  const base::Nanos now = base::monotonic_now();
  EXPECT_EQ(queue.sign(now), now + base::kMillisecond) << "there is more to do";
  EXPECT_EQ(queue.front().signed_at, now);
}

// A server that hands out tokens of one second, and takes only those that hold.
class TokenServer {
 public:
  std::string operator()(const wire::HttpHead& head, const std::string& body) {
    const base::Nanos now = base::monotonic_now();
    if (head.target == "/token") {
      EXPECT_EQ(head.method, "POST");
      EXPECT_THAT(body, HasSubstr("refresh_token=refresh-0123456789"));
      given_.push_back(now);
      return whole("200 OK", "application/json",
                   fmt::format(R"({{"access_token":"ya29.{}","expires_in":1}})", given_.size()));
    }
    for (std::size_t i = 0; i < given_.size(); ++i) {
      if (head.field("authorization") == fmt::format("Bearer ya29.{}", i + 1)) {
        used_ = std::max(used_, i + 1);
        return now - given_[i] <= base::kSecond ? answer() : refusal(head);
      }
    }
    return refusal(head);
  }
  [[nodiscard]] std::size_t used() const { return used_; }

 private:
  std::vector<base::Nanos> given_;
  std::size_t used_ = 0;
};

platform::Auth google_at(const wire::Url& url) {
  platform::GoogleCredentials credentials;
  credentials.from = platform::GoogleUser{"id", base::Secret("client-secret-0123456789"),
                                          base::Secret("refresh-0123456789")};
  credentials.token_uri = url.to_text() + "/token";
  auto keeper = platform::TokenKeeper::make(std::move(credentials),
                                            [](const std::string&) { return std::string(); });
  EXPECT_TRUE(keeper) << base::to_line(keeper.error());
  return *keeper;
}

TEST(SignedRequests, a_token_that_ends_within_the_run_is_renewed) {
  TokenServer tokens;
  AskedServer server(std::ref(tokens));
  Target target = target_at(server.url());
  target.auth = google_at(server.url());
  std::vector<workload::Request> requests;
  for (int i = 0; i < 24; ++i) {
    requests.push_back({"one two", 2, 5});
    requests.back().due = i * 100 * base::kMillisecond;
  }
  const auto logs = logs_of(target, Planned(std::move(requests)));
  ASSERT_EQ(logs.size(), 24U);
  for (const measure::RequestLog& log : logs) {
    EXPECT_EQ(log.outcome, Outcome::kCompleted) << log.failure;
  }
  EXPECT_GE(tokens.used(), 2U);
}

TEST(SignedRequests, no_token_is_an_error_before_anything_is_sent) {
  int asked = 0;
  AskedServer server([&](const wire::HttpHead& head, const std::string&) {
    EXPECT_EQ(head.target, "/token");
    ++asked;
    return whole("400 Bad Request", "application/json",
                 R"({"error":"invalid_grant","error_description":"Token has been revoked"})");
  });
  Target target = target_at(server.url());
  target.auth = google_at(server.url());
  Collected sink;
  const Planned plan = plan_of(3);
  const auto report = Engine(target, *plan).run(sink);
  ASSERT_FALSE(report);
  EXPECT_EQ(report.error().code, base::ErrorCode::kEnvironment);
  EXPECT_THAT(base::to_line(report.error()), HasSubstr("invalid_grant: Token has been revoked"));
  EXPECT_THAT(base::to_line(report.error()), Not(HasSubstr("0123456789")));
  EXPECT_EQ(asked, 1);
  EXPECT_TRUE(sink.logs.empty());
}

}  // namespace
}  // namespace steelyard::load
