// Exchanges over HTTP/2 against a server made by hand, over real sockets.
#include "wire/http2_exchange.h"

#include <gtest/gtest.h>

#include "http2_peer.h"
#include "test_certificate.h"
#include "two_ends.h"
#include "wire/alpn_probe.h"
#include "wire/http1_exchange.h"

namespace steelyard::wire {
namespace {

constexpr std::string_view kRequest =
    "POST /v1/completions HTTP/1.1\r\nHost: localhost\r\nContent-Length: 3\r\n\r\nask";

struct Seen : Exchange::Handler {
  void on_open(const Exchange::Opening& how) override {
    opened = true;
    opening = how;
  }
  void on_read(ReadStamp stamp) override { stamps.push_back(stamp); }
  void on_body(std::string_view piece) override { body += piece; }
  void on_read_end() override { ++read_ends; }
  void on_lost(const Exchange::Loss& what) override { loss = loss.value_or(what); }

  bool opened = false;
  Exchange::Opening opening;
  std::vector<ReadStamp> stamps;
  std::string body;
  int read_ends = 0;
  std::optional<Exchange::Loss> loss;  // the first
};

// One of several on a pool.
struct One {
  explicit One(Http2Pool& pool) : exchange(pool, seen) { exchange.connect(); }
  Seen seen;
  Http2Exchange exchange;
};

class Http2 : public ::testing::Test {
 protected:
  void reach(std::shared_ptr<TlsContext> server = nullptr,
             std::shared_ptr<TlsContext> client = nullptr) {
    peer = std::make_unique<http2::Peer>(loop, std::move(server));
    route.address = peer->address();
    route.host = "localhost";
    route.tls = std::move(client);
  }
  One& add() {
    all.push_back(std::make_unique<One>(*pool));
    return *all.back();
  }
  void open(std::size_t count, std::uint32_t streams) {
    pool.emplace(route, streams);
    for (std::size_t i = 0; i < count; ++i) {
      add();
    }
    run_until(loop, [&] {
      return std::ranges::all_of(
          all, [](const auto& one) { return one->seen.opened || one->seen.loss.has_value(); });
    });
  }

  boost::asio::io_context loop{1};
  std::unique_ptr<http2::Peer> peer;
  Route route{loop, {}, "", nullptr, "", base::kSecond * 30};
  std::optional<Http2Pool> pool;
  std::vector<std::unique_ptr<One>> all;
};

TEST_F(Http2, several_requests_share_a_connection_each_with_its_own_answer) {
  reach();
  peer->on_request = [](auto& session, std::uint32_t stream) {
    session.say(http2::whole(stream, session.bodies[stream] + std::to_string(stream)));
  };
  open(3, 100);
  EXPECT_EQ(peer->sessions.size(), 1U);
  EXPECT_TRUE(all[0]->seen.opening.has_value());
  EXPECT_FALSE(all[1]->seen.opening.has_value());
  EXPECT_FALSE(all[0]->exchange.used());
  const base::Nanos before = base::monotonic_now();
  for (const auto& one : all) {
    EXPECT_GE(one->exchange.send(kRequest), before);
    EXPECT_TRUE(one->exchange.used());
  }
  run_until(loop, [&] {
    return std::ranges::all_of(all, [](const auto& one) { return one->exchange.done(); });
  });
  for (std::size_t i = 0; i < all.size(); ++i) {
    EXPECT_EQ(all[i]->seen.body, "ask" + std::to_string(2 * i + 1));
    EXPECT_EQ(all[i]->exchange.head().status, 200);
    EXPECT_GE(all[i]->seen.stamps.front().kernel, before);
    EXPECT_LE(all[i]->seen.stamps.front().kernel, all[i]->seen.stamps.front().user);
    all[i]->exchange.end(true);
    EXPECT_TRUE(all[i]->exchange.open());
  }
}

TEST_F(Http2, a_connection_takes_as_many_as_it_is_given) {
  reach();
  open(7, 3);
  EXPECT_EQ(peer->sessions.size(), 3U);
}

TEST_F(Http2, a_connection_takes_no_more_than_the_server_allows) {
  reach();
  peer->first_words = http2::settings_with_streams(2);
  peer->on_request = [](auto& session, std::uint32_t stream) {
    session.say(http2::whole(stream, "yes"));
  };
  open(5, 100);
  EXPECT_EQ(peer->sessions.size(), 3U);
  for (const auto& one : all) {
    ASSERT_TRUE(one->exchange.open());
    one->exchange.send(kRequest);
  }
  run_until(loop, [&] {
    return std::ranges::all_of(all, [](const auto& one) { return one->exchange.done(); });
  });
}

TEST_F(Http2, a_server_that_allows_none_is_named) {
  reach();
  peer->first_words = http2::settings_with_streams(0);
  open(1, 100);
  EXPECT_EQ(all[0]->seen.loss->why, "the server allows no streams at once (HTTP/2 settings)");
}

TEST_F(Http2, a_body_beyond_the_window_waits_for_room_and_arrives_whole) {
  reach();
  peer->on_request = [](auto& session, std::uint32_t stream) {
    session.say(http2::whole(stream, std::to_string(session.bodies[stream].size())));
  };
  open(1, 1);
  const std::string body(200'000, 'x');
  const std::string message = "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 200000\r\n\r\n" + body;
  all[0]->exchange.send(message);
  run_until(loop, [&] {
    return !peer->sessions[0]->bodies.empty() && peer->sessions[0]->bodies[1].size() == 65'535;
  });
  peer->sessions[0]->say(http2::more_window(0, 1U << 20U) + http2::more_window(1, 1U << 20U));
  run_until(loop, [&] { return all[0]->exchange.done(); });
  EXPECT_EQ(all[0]->seen.body, "200000");
}

TEST_F(Http2, an_answer_larger_than_any_default_window_comes_without_a_pause) {
  reach();
  peer->on_request = [](auto& session, std::uint32_t stream) {
    std::string answer = http2::event_stream(stream);
    for (int i = 0; i < 400; ++i) {
      answer += http2::data(stream, std::string(16'000, 'y'));
    }
    session.say(answer + http2::data(stream, "", http2::kEndStream));
  };
  open(1, 1);
  all[0]->exchange.send(kRequest);
  run_until(loop, [&] { return all[0]->exchange.done(); });
  EXPECT_EQ(all[0]->seen.body.size(), 6'400'000U);
}

TEST_F(Http2, a_refused_stream_is_untaken_and_another_reset_is_not) {
  reach();
  peer->on_request = [](auto& session, std::uint32_t stream) {
    session.say(http2::reset(stream, stream == 1 ? http2::kRefusedStream : http2::kInternalError));
  };
  open(2, 100);
  all[0]->exchange.send(kRequest);
  all[1]->exchange.send(kRequest);
  run_until(loop, [&] { return all[0]->seen.loss && all[1]->seen.loss; });
  EXPECT_TRUE(all[0]->seen.loss->untaken);
  EXPECT_EQ(all[0]->seen.loss->why, "the server reset the stream (REFUSED_STREAM)");
  EXPECT_FALSE(all[1]->seen.loss->untaken);
  EXPECT_FALSE(all[1]->exchange.begun());
  EXPECT_TRUE(all[1]->exchange.open());  // the connection lives on
}

TEST_F(Http2, a_server_that_goes_away_ends_what_it_took_and_gets_no_more) {
  reach();
  peer->on_request = [&](auto& session, std::uint32_t stream) {
    if (peer->requests == 2) {  // the first of the two is still to be answered
      session.say(http2::go_away(1));
      session.say(http2::whole(1, "late"));
    } else if (peer->requests > 2) {
      session.say(http2::whole(stream, "anew"));
    }
  };
  open(2, 100);
  all[0]->exchange.send(kRequest);
  all[1]->exchange.send(kRequest);
  run_until(loop, [&] { return all[0]->exchange.done() && all[1]->seen.loss; });
  EXPECT_EQ(all[0]->seen.body, "late");
  EXPECT_TRUE(all[1]->seen.loss->untaken);
  EXPECT_FALSE(all[1]->exchange.open());
  all[1]->seen.opened = false;
  all[1]->exchange.connect();
  run_until(loop, [&] { return all[1]->seen.opened; });
  EXPECT_EQ(peer->sessions.size(), 2U);
  all[1]->exchange.send(kRequest);
  run_until(loop, [&] { return all[1]->exchange.done(); });
  EXPECT_EQ(all[1]->seen.body, "anew");
}

TEST_F(Http2, ending_early_cancels_the_stream_and_keeps_the_connection) {
  reach();
  peer->on_request = [](auto& session, std::uint32_t stream) {
    session.say(http2::event_stream(stream) + http2::data(stream, "first"));
  };
  open(2, 100);
  all[0]->exchange.send(kRequest);
  all[1]->exchange.send(kRequest);
  run_until(loop, [&] { return !all[0]->seen.body.empty() && !all[1]->seen.body.empty(); });
  all[0]->exchange.end(true);
  run_until(loop, [&] { return !peer->sessions[0]->resets.empty(); });
  EXPECT_EQ(peer->sessions[0]->resets[1], 8U);  // CANCEL
  peer->sessions[0]->say(http2::data(1, "lost") + http2::data(3, " last", http2::kEndStream));
  run_until(loop, [&] { return all[1]->exchange.done(); });
  EXPECT_EQ(all[0]->seen.body, "first");
  EXPECT_EQ(all[1]->seen.body, "first last");
  EXPECT_TRUE(all[0]->exchange.open());
}

TEST_F(Http2, the_last_one_to_leave_closes_the_connection) {
  reach();
  open(2, 100);
  all[0]->exchange.end(false);
  EXPECT_FALSE(all[0]->exchange.open());
  EXPECT_TRUE(all[1]->exchange.open());
  all[1]->exchange.end(false);
  run_until(loop, [&] { return peer->sessions[0]->closed; });
}

TEST_F(Http2, a_lost_connection_is_told_to_all_on_it) {
  reach();
  peer->on_request = [](auto& session, std::uint32_t) { session.close(); };
  open(3, 100);
  all[1]->exchange.send(kRequest);
  run_until(loop, [&] {
    return std::ranges::all_of(all, [](const auto& one) { return one->seen.loss.has_value(); });
  });
  EXPECT_FALSE(all[0]->exchange.open());
  EXPECT_FALSE(all[1]->seen.loss->untaken);
}

TEST_F(Http2, what_speaks_no_http2_is_named) {
  reach();
  peer->first_words = "HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n";
  open(1, 100);
  EXPECT_EQ(all[0]->seen.loss->why, "what the server answers is no HTTP/2");
}

TEST_F(Http2, what_says_nothing_is_given_up) {
  reach();
  peer->first_words = "";
  route.connect_timeout = 50 * base::kMillisecond;
  open(1, 100);
  EXPECT_EQ(all[0]->seen.loss->why, "no HTTP/2 connection within the time limit");
}

class Http2Tls : public Http2 {
 protected:
  void reach_with(std::string_view alpn) {
    reach(TlsContext::server(certificate.certificate_file(), certificate.key_file(),
                             std::string(alpn))
              .value(),
          TlsContext::client({true, certificate.certificate_file()}).value());
  }
  bool probe() {
    const AlpnProbe asked(route);
    run_until(loop, [&] { return asked.over(); });
    EXPECT_EQ(asked.failure(), "");
    return asked.http2();
  }
  TestCertificate certificate{"DNS:localhost"};
};

TEST_F(Http2Tls, alpn_settles_on_http2) {
  reach_with(kAlpnEither);
  peer->on_request = [](auto& session, std::uint32_t stream) {
    session.say(http2::whole(stream, "over TLS"));
  };
  EXPECT_TRUE(probe());
  open(2, 100);
  EXPECT_TRUE(all[0]->seen.opening->tls.has_value());
  all[1]->exchange.send(kRequest);
  run_until(loop, [&] { return all[1]->exchange.done(); });
  EXPECT_EQ(all[1]->seen.body, "over TLS");
}

TEST_F(Http2Tls, a_server_without_it_is_named) {
  for (const std::string_view offered : {std::string_view(), std::string_view("\x08http/1.1")}) {
    all.clear();
    reach_with(offered);
    EXPECT_FALSE(probe());
    open(1, 100);
    EXPECT_EQ(all[0]->seen.loss->why, "the server does not offer HTTP/2 (ALPN)");
  }
}

}  // namespace
}  // namespace steelyard::wire
