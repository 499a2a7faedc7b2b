#include "wire/url.h"

namespace steelyard::wire {
namespace {

TEST(Url, reads_what_a_person_gives) {
  const Url url = parse_url("--base-url", "http://127.0.0.1:8000/v1/").value();
  EXPECT_FALSE(url.tls);
  EXPECT_EQ(url.host, "127.0.0.1");
  EXPECT_EQ(url.port, 8000);
  EXPECT_EQ(url.path, "/v1");
  EXPECT_EQ(url.to_text(), "http://127.0.0.1:8000/v1");
  EXPECT_EQ(parse_url("", "HTTPS://example.com").value().to_text(), "https://example.com");
  EXPECT_EQ(parse_url("", "https://example.com").value().port, 443);
  EXPECT_EQ(parse_url("", "http://[::1]:80/a").value().host, "::1");
  EXPECT_EQ(parse_url("", "http://[::1]:81").value().authority(), "[::1]:81");
}

TEST(Url, refuses_the_rest_by_name) {
  for (const std::string_view text :
       {"", "127.0.0.1:8000", "ftp://host", "http://", "http://:80", "http://host:",
        "http://host:0", "http://host:65536", "http://host:80x", "http://[::1", "http://[::1]80",
        "http://ho st", "http://host/a\r\nX: 1", "http://host?key=secret", "http://host/#a"}) {
    const auto url = parse_url("--base-url", text);
    ASSERT_FALSE(url) << text;
    EXPECT_EQ(url.error().where, "--base-url");
  }
}

TEST(Url, a_password_is_refused_and_not_repeated) {
  const auto url = parse_url("--base-url", "http://user:hunter2@host");
  ASSERT_FALSE(url);
  EXPECT_THAT(base::to_line(url.error()), testing::Not(testing::HasSubstr("hunter2")));
  const auto query = parse_url("--base-url", "ftp://me:hunter2@host?key=hunter2");
  EXPECT_THAT(base::to_line(query.error()), testing::Not(testing::HasSubstr("hunter2")));
}

}  // namespace
}  // namespace steelyard::wire
