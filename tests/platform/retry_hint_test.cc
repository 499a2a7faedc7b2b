#include "platform/retry_hint.h"

namespace steelyard::platform {
namespace {

using From = RetryHint::From;

constexpr base::Nanos kWall = 784'111'777 * base::kSecond;  // Sun, 06 Nov 1994 08:49:37 GMT

std::optional<RetryHint> hint(const wire::Fields& fields, std::string_view body = "") {
  wire::HttpHead head;
  head.status = 429;
  head.fields = fields;
  return retry_hint(head, body, kWall);
}

// "250ms retry-after-ms", or "none".
std::string shown(const wire::Fields& fields, std::string_view body = "") {
  const auto found = hint(fields, body);
  return found ? fmt::format("{}ms {}", base::to_ms(found->after), name_of(found->from)) : "none";
}

TEST(RetryHint, retry_after_in_seconds_and_as_a_date) {
  EXPECT_EQ(shown({{"retry-after", "12"}}), "12000ms retry-after");
  EXPECT_EQ(shown({{"retry-after", " 1.5 "}}), "1500ms retry-after");
  EXPECT_EQ(shown({{"retry-after", "0"}}), "0ms retry-after");
  EXPECT_EQ(shown({{"retry-after", "Sun, 06 Nov 1994 08:50:00 GMT"}}), "23000ms retry-after");
}

TEST(RetryHint, a_date_is_counted_from_the_answers_own_and_one_that_passed_is_now) {
  EXPECT_EQ(shown({{"retry-after", "Sun, 06 Nov 1994 08:50:00 GMT"},
                   {"date", "Sun, 06 Nov 1994 08:49:58 GMT"}}),
            "2000ms retry-after");
  EXPECT_EQ(shown({{"retry-after", "Sun, 06 Nov 1994 08:49:36 GMT"}}), "0ms retry-after");
}

TEST(RetryHint, milliseconds_hold_before_seconds) {
  EXPECT_EQ(shown({{"retry-after", "1"}, {"retry-after-ms", "250"}}), "250ms retry-after-ms");
  EXPECT_EQ(shown({{"retry-after", "1"}, {"retry-after-ms", "soon"}}), "1000ms retry-after");
}

TEST(RetryHint, a_rate_limits_reset_as_openai_writes_durations) {
  const auto reset = [](const std::string& text) {
    return shown({{"x-ratelimit-reset-requests", text}});
  };
  EXPECT_EQ(reset("6m0s"), "360000ms x-ratelimit-reset");
  EXPECT_EQ(reset("20ms"), "20ms x-ratelimit-reset");
  EXPECT_EQ(reset("1"), "1000ms x-ratelimit-reset");
  EXPECT_EQ(reset("1h2m3.5s"), "3723500ms x-ratelimit-reset");
  EXPECT_EQ(shown({{"retry-after", "3"}, {"x-ratelimit-reset-requests", "6m0s"}}),
            "3000ms retry-after");
}

TEST(RetryHint, of_two_limits_the_one_that_is_used_up) {
  const wire::Fields resets = {{"x-ratelimit-reset-requests", "1s"},
                               {"x-ratelimit-reset-tokens", "40s"}};
  const auto with = [&](const std::string& requests, const std::string& tokens) {
    wire::Fields fields = resets;
    fields.emplace_back("x-ratelimit-remaining-requests", requests);
    fields.emplace_back("x-ratelimit-remaining-tokens", tokens);
    return shown(fields);
  };
  EXPECT_EQ(with("9", "0"), "40000ms x-ratelimit-reset");
  EXPECT_EQ(with("0", "900"), "1000ms x-ratelimit-reset");
  EXPECT_EQ(with("0", "0"), "40000ms x-ratelimit-reset");
  EXPECT_EQ(with("-1", "900"), "1000ms x-ratelimit-reset");
  EXPECT_EQ(with("9", "900"), "1000ms x-ratelimit-reset");
  EXPECT_EQ(shown({{"x-ratelimit-reset-tokens", "40s"}}), "none");
}

TEST(RetryHint, the_words_of_replicate) {
  EXPECT_EQ(shown({}, R"({"detail":"Request was throttled. Your rate limit resets in ~30s."})"),
            "30000ms text");
  EXPECT_EQ(shown({}, "resets in 1m30s"), "90000ms text");
  EXPECT_EQ(shown({}, "it resets in time"), "none");
  EXPECT_EQ(shown({}, "resets in 30"), "none");
}

TEST(RetryHint, what_cannot_be_read_is_none) {
  for (const std::string text : {"", "-1", "1e3", "1 2", ".5", "5.", "inf", "0x10",
                                 "99999999999999999999999", "12s", "Sun, 06 Nov 1994"}) {
    EXPECT_EQ(shown({{"retry-after", text}}), "none") << text;
  }
  for (const std::string text : {"", "6m0", "m", "6 m", "999999999h", "1s1"}) {
    EXPECT_EQ(shown({{"x-ratelimit-reset-requests", text}}), "none") << text;
  }
  EXPECT_EQ(shown({}), "none");
}

}  // namespace
}  // namespace steelyard::platform
