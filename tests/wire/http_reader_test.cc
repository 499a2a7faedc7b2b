#include "wire/http_reader.h"

namespace steelyard::wire {
namespace {

using Side = HttpReader::Side;

struct Read {
  int status = 0;
  std::string body;
  bool done = false;
  std::string error;
  std::size_t consumed = 0;
  friend bool operator==(const Read&, const Read&) = default;
};

// In pieces of `step` bytes, then closed.
Read read(std::string_view bytes, std::size_t step, Side side = Side::kResponses) {
  HttpReader reader(side);
  Read result;
  const auto keep = [&](std::string_view piece) { result.body += piece; };
  for (std::size_t at = 0; at < bytes.size() && !reader.done(); at += step) {
    result.consumed += reader.feed(bytes.substr(at, step), keep);
  }
  result.done = reader.finish();
  result.status = reader.head().status;
  result.error = reader.error();
  return result;
}

TEST(HttpReader, every_split_of_a_chunked_answer_gives_the_same) {
  const std::string answer =
      "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
      "5\r\nhello\r\n6;name=\"a\"\r\n world\r\n0\r\nX-Trailer: 1\r\n\r\n";
  const Read whole = read(answer, answer.size());
  EXPECT_EQ(whole.status, 200);
  EXPECT_EQ(whole.body, "hello world");
  EXPECT_TRUE(whole.done);
  EXPECT_EQ(whole.consumed, answer.size());
  for (std::size_t step = 1; step < answer.size(); ++step) {
    EXPECT_EQ(read(answer, step), whole) << step;
  }
}

TEST(HttpReader, stops_where_the_message_ends) {
  const Read first = read("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nokHTTP/1.1 500", 1000);
  EXPECT_EQ(first.body, "ok");
  EXPECT_EQ(first.consumed, 40U);
}

TEST(HttpReader, a_body_without_a_length_ends_with_the_connection) {
  const Read all = read("HTTP/1.0 200 OK\nContent-Type: text/plain\n\nall of it", 3);
  EXPECT_TRUE(all.done);
  EXPECT_EQ(all.body, "all of it");
}

TEST(HttpReader, knows_what_is_missing) {
  EXPECT_FALSE(read("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf", 1000).done);
  EXPECT_FALSE(read("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nhalf\r\n", 5).done);
  EXPECT_FALSE(read("HTTP/1.1 200", 1000).done);
}

TEST(HttpReader, refuses_what_is_not_http) {
  EXPECT_EQ(read("SSH-2.0-OpenSSH_9.2\r\n\r\n", 1000).error, "not HTTP/1.1");
  EXPECT_EQ(read("HTTP/2 200 OK\r\n\r\n", 1000).error, "not HTTP/1.1");
  EXPECT_EQ(read("HTTP/1.1 200 OK\r\nno colon\r\n\r\n", 1000).error, "a header line is malformed");
  EXPECT_EQ(read("HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n", 1000).error,
            "the content length is no number");
  constexpr auto kChunked = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n{}";
  EXPECT_EQ(read(fmt::format(kChunked, "zz\r\n"), 1000).error, "the size of a chunk is no number");
  EXPECT_EQ(read(fmt::format(kChunked, "1\r\nab\r\n"), 1000).error,
            "a chunk is longer than its size");
  EXPECT_NE(read(fmt::format("HTTP/1.1 200 OK\r\nX: {:70000}", "x"), 1000).error, "");
}

TEST(HttpReader, requests) {
  HttpReader reader(Side::kRequests);
  std::string body;
  reader.feed("\r\nPOST /v1/completions HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\n{}",
              [&](std::string_view piece) { body += piece; });
  EXPECT_TRUE(reader.done());
  EXPECT_EQ(reader.head().method, "POST");
  EXPECT_EQ(reader.head().target, "/v1/completions");
  EXPECT_EQ(reader.head().field("host"), "a");
  EXPECT_EQ(body, "{}");
  reader.reset();
  reader.feed("GET / HTTP/1.0\r\n\r\n", [](std::string_view) {});
  EXPECT_TRUE(reader.done());
  EXPECT_FALSE(reader.head().keeps_alive());
}

TEST(HttpReader, says_whether_the_connection_lives_on) {
  const auto lives = [](std::string_view bytes) {
    HttpReader reader(Side::kResponses);
    reader.feed(bytes, [](std::string_view) {});
    return reader.head().keeps_alive();
  };
  EXPECT_TRUE(lives("HTTP/1.1 204 No Content\r\n\r\n"));
  EXPECT_FALSE(lives("HTTP/1.1 204 No Content\r\nConnection: foo, Close\r\n\r\n"));
  EXPECT_TRUE(lives("HTTP/1.0 204 No Content\r\nConnection: Keep-Alive\r\n\r\n"));
}

}  // namespace
}  // namespace steelyard::wire
