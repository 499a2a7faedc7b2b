// Frames of HTTP/2, cut anywhere, give the same answers. The server's are made by hand.
#include "wire/http2_session.h"

#include <gtest/gtest.h>

#include "http2_peer.h"

namespace steelyard::wire {
namespace {

constexpr std::string_view kRequest =
    "POST /v1/chat/completions HTTP/1.1\r\nHost: model.example\r\nContent-Type: "
    "application/json\r\n"
    "Connection: close\r\nX-Request-Id: a-0\r\nContent-Length: 2\r\n\r\n{}";

struct Answer : Http2Stream {
  void on_answer() override { ++touched; }
  void on_piece(std::string_view piece) override { body += piece; }
  void on_reset() override {}
  [[nodiscard]] std::string all() const {
    return std::to_string(head.status) + "|" + std::string(head.field("content-type")) + "|" +
           std::string(head.field("x-hint")) + "|" + body + "|" + (done ? "done" : "open") +
           (reset ? http2_error_name(*reset) : "");
  }
  std::string body;
  int touched = 0;
};

struct Two {
  Answer first;
  Answer second;
  std::string error;
  bool ready = false;
};

Two answers_to(std::string_view bytes, std::size_t cut) {
  Two two;
  Http2Session session(false);
  session.request(kRequest, two.first);
  session.request(kRequest, two.second);
  EXPECT_FALSE(session.output().empty());
  for (const std::string_view piece : {bytes.substr(0, cut), bytes.substr(cut)}) {
    if (const auto taken = session.take(piece); !taken) {
      two.error = taken.error().what;
      break;
    }
    static_cast<void>(session.output());
  }
  two.error = session.over() ? session.why_over() : two.error;
  two.ready = session.ready();
  return two;
}

TEST(Http2Session, answers_interleave_and_may_be_cut_anywhere) {
  const std::string bytes =
      http2::settings() + http2::head(3, "103", http2::field("x-hint", "early")) +
      http2::event_stream(3) + http2::data(3, "three ") + http2::event_stream(1) +
      http2::data(1, "one") + http2::data(3, "and more") + http2::data(1, "", http2::kEndStream) +
      http2::frame(http2::Type::kHeaders, http2::kEndHeaders | http2::kEndStream, 3,
                   http2::field("x-hint", "trailer"));
  for (std::size_t cut = 0; cut <= bytes.size(); ++cut) {
    const Two two = answers_to(bytes, cut);
    ASSERT_EQ(two.error, "") << cut;
    ASSERT_TRUE(two.ready) << cut;
    ASSERT_EQ(two.first.all(), "200|text/event-stream||one|done") << cut;
    ASSERT_EQ(two.second.all(), "200|text/event-stream||three and more|done") << cut;
  }
}

TEST(Http2Session, a_reset_names_its_code_and_whether_the_request_was_taken) {
  const std::string bytes = http2::settings() + http2::reset(1, http2::kRefusedStream) +
                            http2::event_stream(3) + http2::data(3, "some") +
                            http2::reset(3, http2::kInternalError);
  for (std::size_t cut = 0; cut <= bytes.size(); ++cut) {
    const Two two = answers_to(bytes, cut);
    ASSERT_EQ(two.first.all(), "0||||openREFUSED_STREAM") << cut;
    ASSERT_EQ(two.second.all(), "200|text/event-stream||some|openINTERNAL_ERROR") << cut;
    EXPECT_TRUE(http2_untaken(*two.first.reset));
    EXPECT_FALSE(http2_untaken(*two.second.reset));
  }
}

TEST(Http2Session, a_streams_own_error_ends_it_alone) {
  // A body beyond its stated length (RFC 9113, section 8.1.1).
  const std::string bytes = http2::settings() +
                            http2::head(1, "200", http2::field("content-length", "2")) +
                            http2::data(1, "three") + http2::whole(3, "good");
  const Two two = answers_to(bytes, 0);
  EXPECT_EQ(two.error, "");
  EXPECT_FALSE(two.first.done);
  EXPECT_TRUE(two.first.reset.has_value());
  EXPECT_EQ(two.second.all(), "200|text/event-stream||good|done");
}

TEST(Http2Session, what_is_no_http2_is_said_to_be_none) {
  for (const std::string& bytes :
       {std::string("HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n"),
        http2::data(1, "before any settings"), std::string(64, '\0')}) {
    const Two two = answers_to(bytes, bytes.size());
    EXPECT_FALSE(two.ready);
    EXPECT_EQ(two.error, "what the server answers is no HTTP/2");
  }
}

TEST(Http2Session, says_when_the_peer_leaves_and_how_many_it_allows) {
  Http2Session session(false);
  static_cast<void>(session.output());
  ASSERT_TRUE(session.take(http2::settings_with_streams(7)));
  EXPECT_EQ(session.most_streams(), 7U);
  EXPECT_FALSE(session.leaving());
  ASSERT_TRUE(session.take(http2::go_away(0)));
  EXPECT_TRUE(session.leaving());
}

TEST(Http2Session, a_cancelled_stream_hears_nothing_more) {
  Answer answer;
  Http2Session session(false);
  session.request(kRequest, answer);
  static_cast<void>(session.output());
  ASSERT_TRUE(session.take(http2::settings() + http2::event_stream(1) + http2::data(1, "one")));
  static_cast<void>(session.output());
  EXPECT_EQ(session.out(), 1U);
  session.cancel(answer);
  const std::string cancelled =
      http2::frame(http2::Type::kReset, 0, 1, std::string("\0\0\0\x08", 4));
  EXPECT_EQ(session.output(), cancelled);
  EXPECT_EQ(session.out(), 0U);
  const int touched = answer.touched;
  ASSERT_TRUE(session.take(http2::data(1, "two", http2::kEndStream)));
  EXPECT_EQ(answer.touched, touched);
  EXPECT_EQ(answer.body, "one");
  EXPECT_FALSE(answer.done);
}

}  // namespace
}  // namespace steelyard::wire
