#include "wire/http_date.h"

#include "base/random.h"

namespace steelyard::wire {
namespace {

constexpr base::Nanos kThen = 784'111'777 * base::kSecond;  // of RFC 9110's own example

TEST(HttpDate, is_written_as_rfc_9110_has_it) {
  EXPECT_EQ(http_date(kThen + 999'999'999), "Sun, 06 Nov 1994 08:49:37 GMT");
  EXPECT_EQ(http_date(0), "Thu, 01 Jan 1970 00:00:00 GMT");
}

TEST(HttpDate, all_three_forms_are_read) {
  for (const std::string text : {"Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT",
                                 "Sun Nov  6 08:49:37 1994"}) {
    EXPECT_EQ(parse_http_date(text), kThen) << text;
  }
  EXPECT_EQ(parse_http_date("Fri, 29-Feb-36 00:00:00 GMT"), 2'087'856'000 * base::kSecond);
}

TEST(HttpDate, what_is_written_is_read) {
  base::Random random(47);
  for (int round = 0; round < 500; ++round) {
    const base::Nanos at = random.integer(0, 7'000'000'000) * base::kSecond;
    EXPECT_EQ(parse_http_date(http_date(at)), at) << http_date(at);
  }
}

TEST(HttpDate, what_is_none_is_refused) {
  for (const std::string text :
       {"", "12", "Sun, 06 Nov 1994 08:49:37", "Sun, 06 Nov 1994 08:49:37 CET",
        "Sun, 31 Feb 1994 08:49:37 GMT", "Sun, 06 Nov 1994 24:49:37 GMT",
        "Sun, 06 Nov 1994 08:49 GMT", "Sun, 06 nov 1994 08:49:37 GMT",
        "Sun, 06 Nov 99999 08:49:37 GMT", "Sun, -6 Nov 1994 08:49:37 GMT",
        "Sunday, 06-Nov 08:49:37 GMT", "Sun Nov 66 08:49:37 1994"}) {
    EXPECT_EQ(parse_http_date(text), std::nullopt) << text;
  }
}

}  // namespace
}  // namespace steelyard::wire
