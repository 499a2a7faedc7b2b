#include "wire/connection.h"

#include <linux/sockios.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include "two_ends.h"

namespace steelyard::wire {
namespace {

using boost::asio::ip::tcp;

constexpr base::Nanos kLong = 60 * base::kSecond;

tcp::acceptor listener(boost::asio::io_context& loop) {
  return {loop, {boost::asio::ip::address_v4::loopback(), 0}};
}

// An address where nobody listens.
tcp::endpoint nobody(boost::asio::io_context& loop) { return listener(loop).local_endpoint(); }

// Returns once the other end's kernel has all that was sent, and has said so.
void wait_for_arrival(tcp::socket& sender) {
  for (int unacknowledged = 1; unacknowledged > 0;) {
    ASSERT_EQ(::ioctl(sender.native_handle(), SIOCOUTQ, &unacknowledged), 0);
  }
}

TEST(Connection, bytes_go_both_ways) {
  boost::asio::io_context loop(1);
  Peer peer(loop);
  Client client(loop);
  client.connection->connect(peer.address(), "", kLong);
  run_until(loop, [&] { return client.seen.opened && peer.seen.opened; });
  client.connection->send("ask");
  run_until(loop, [&] { return peer.seen.received == "ask"; });
  peer.connection->send("answer");
  run_until(loop, [&] { return client.seen.received == "answer"; });
  EXPECT_TRUE(client.connection->open());
}

TEST(Connection, a_message_beyond_the_socket_buffer_arrives_whole_and_in_order) {
  boost::asio::io_context loop(1);
  Peer peer(loop);
  Client client(loop);
  client.connection->connect(peer.address(), "", kLong);
  run_until(loop, [&] { return client.seen.opened && peer.seen.opened; });
  std::string message(20U << 20U, '\0');
  for (std::size_t i = 0; i < message.size(); ++i) {
    message[i] = static_cast<char>((i * 2'654'435'761U) >> 24U);
  }
  client.connection->send(message);
  client.connection->send("and a last word");
  run_until(loop, [&] { return peer.seen.received.size() == message.size() + 15; });
  EXPECT_TRUE(peer.seen.received == message + "and a last word");
}

TEST(Connection, close_when_sent_sends_what_is_queued_and_then_the_end) {
  boost::asio::io_context loop(1);
  Peer peer(loop);
  Client client(loop);
  client.connection->connect(peer.address(), "", kLong);
  run_until(loop, [&] { return client.seen.opened && peer.seen.opened; });
  const std::string message(20U << 20U, 'x');
  client.connection->send(message);
  client.connection->close_when_sent();
  run_until(loop, [&] { return peer.seen.closed; });
  EXPECT_EQ(peer.seen.failure, "");
  EXPECT_TRUE(peer.seen.received == message);
}

TEST(Connection, stamps_ascend_and_never_lie_after_the_read) {
  boost::asio::io_context loop(1);
  Peer peer(loop);
  Client client(loop);
  client.connection->connect(peer.address(), "", kLong);
  run_until(loop, [&] { return client.seen.opened && peer.seen.opened; });
  for (int i = 0; i < 100; ++i) {
    peer.connection->send("x");
    run_until(loop, [&] { return client.seen.received.size() == static_cast<std::size_t>(i) + 1; });
  }
  ReadStamp last;
  for (const ReadStamp& stamp : client.seen.stamps) {
    EXPECT_GE(stamp.kernel, last.kernel);
    EXPECT_GE(stamp.user, last.user);
    EXPECT_LE(stamp.kernel, stamp.user);
    last = stamp;
  }
}

TEST(Connection, bytes_read_late_keep_the_time_of_their_arrival) {
  boost::asio::io_context loop(1);
  tcp::acceptor acceptor = listener(loop);
  Client client(loop);
  client.connection->connect({{acceptor.local_endpoint()}}, "", kLong);
  tcp::socket peer = acceptor.accept();
  run_until(loop, [&] { return client.seen.opened; });
  peer.send(boost::asio::buffer("x", 1));
  wait_for_arrival(peer);
  const base::Nanos arrived = base::monotonic_now();
  constexpr base::Nanos kLate = 20 * base::kMillisecond;
  while (base::monotonic_now() < arrived + kLate) {
  }
  run_until(loop, [&] { return !client.seen.received.empty(); });
  const ReadStamp stamp = client.seen.stamps.front();
  EXPECT_LE(stamp.kernel, arrived);
  EXPECT_GE(stamp.user, arrived + kLate);
}

TEST(Connection, a_stamped_send_left_between_its_call_and_its_arrival) {
  boost::asio::io_context loop(1);
  Peer peer(loop);
  Client client(loop);
  client.connection->connect(peer.address(), "", kLong);
  run_until(loop, [&] { return client.seen.opened && peer.seen.opened; });
  // Also one beyond what is stamped in one piece, and unstamped ones between.
  std::size_t sent = 0;
  for (const std::size_t size : {1UL, 4'096UL, 100'000UL, 3UL}) {
    client.connection->send("unstamped");
    peer.seen.stamps.clear();
    const base::Nanos written = client.connection->send(std::string(size, 'x'), true);
    sent += size + 9;
    run_until(loop, [&] { return peer.seen.received.size() == sent; });
    const auto left = client.connection->sent_at();
    ASSERT_TRUE(left) << size;
    EXPECT_GE(*left, written - base::kMicrosecond) << size;
    EXPECT_LE(*left, peer.seen.stamps.back().user) << size;
  }
}

TEST(Connection, what_had_to_be_queued_has_no_stamp_of_an_earlier_send) {
  boost::asio::io_context loop(1);
  Peer peer(loop);
  Client client(loop);
  client.connection->connect(peer.address(), "", kLong);
  run_until(loop, [&] { return client.seen.opened && peer.seen.opened; });
  client.connection->send("stamped", true);
  run_until(loop, [&] { return client.connection->sent_at().has_value(); });
  client.connection->send(std::string(20U << 20U, 'x'));
  client.connection->send("behind it", true);
  EXPECT_FALSE(client.connection->sent_at());
}

TEST(Connection, the_peers_end_is_told_without_a_reason_and_its_reset_with_one) {
  for (const bool reset : {false, true}) {
    boost::asio::io_context loop(1);
    tcp::acceptor acceptor = listener(loop);
    Client client(loop);
    client.connection->connect({{acceptor.local_endpoint()}}, "", kLong);
    tcp::socket peer = acceptor.accept();
    run_until(loop, [&] { return client.seen.opened; });
    peer.set_option(boost::asio::socket_base::linger(reset, 0));
    peer.close();
    run_until(loop, [&] { return client.seen.closed; });
    EXPECT_EQ(client.seen.failure, reset ? "Connection reset by peer" : "");
    EXPECT_FALSE(client.connection->open());
  }
}

// Readiness is told once: what stands in the socket by then must all be read for it.
TEST(Connection, the_end_that_stands_behind_bytes_is_told_after_them) {
  for (const bool reset : {false, true}) {
    boost::asio::io_context loop(1);
    tcp::acceptor acceptor = listener(loop);
    Client client(loop);
    client.connection->connect({{acceptor.local_endpoint()}}, "", kLong);
    tcp::socket peer = acceptor.accept();
    run_until(loop, [&] { return client.seen.opened; });
    peer.send(boost::asio::buffer("last words", 10));
    wait_for_arrival(peer);
    peer.set_option(boost::asio::socket_base::linger(reset, 0));
    peer.close();
    run_until(loop, [&] { return client.seen.closed; });
    EXPECT_EQ(client.seen.received, "last words");
    EXPECT_EQ(client.seen.failure, reset ? "Connection reset by peer" : "");
  }
}

TEST(Connection, bytes_that_fill_one_read_to_the_last_do_not_hide_those_behind_them) {
  constexpr std::size_t kRead = 128U << 10U;
  for (const std::size_t size : {kRead - 1, kRead, kRead + 1, 2 * kRead, 2 * kRead + 1}) {
    boost::asio::io_context loop(1);
    tcp::acceptor acceptor = listener(loop);
    acceptor.set_option(boost::asio::socket_base::send_buffer_size(4 << 20));
    Client client(loop);
    client.connection->connect({{acceptor.local_endpoint()}}, "", kLong);
    tcp::socket peer = acceptor.accept();
    run_until(loop, [&] { return client.seen.opened; });
    const std::string message(size, 'x');
    ASSERT_EQ(peer.send(boost::asio::buffer(message)), size);
    run_until(loop, [&] { return client.seen.received.size() == size; });
    peer.send(boost::asio::buffer("y", 1));
    run_until(loop, [&] { return client.seen.received.size() == size + 1; });
  }
}

// The poller tells of sockets by number, and the kernel gives a number anew at once.
TEST(Connection, one_that_takes_the_place_of_another_in_its_handler_works) {
  boost::asio::io_context loop(1);
  tcp::acceptor acceptor = listener(loop);
  Client second(loop);
  struct Successor : Recorder {
    void on_closed(const std::string& why) override {
      Recorder::on_closed(why);
      second->connect(to, "", kLong);
    }
    std::shared_ptr<Connection> second;
    Resolved to;
  } seen;
  seen.second = second.connection;
  seen.to = {{acceptor.local_endpoint()}};
  const auto first = std::make_shared<Connection>(loop, nullptr);
  first->set_handler(&seen);
  first->connect(seen.to, "", kLong);
  tcp::socket peer = acceptor.accept();
  run_until(loop, [&] { return seen.opened; });
  peer.send(boost::asio::buffer("bye", 3));
  peer.close();
  run_until(loop, [&] { return seen.closed; });
  tcp::socket next = acceptor.accept();
  next.send(boost::asio::buffer("hello", 5));
  run_until(loop, [&] { return second.seen.received == "hello"; });
  EXPECT_EQ(seen.received, "bye");
}

TEST(Connection, a_send_to_a_peer_that_is_gone_ends_in_on_closed_alone) {
  boost::asio::io_context loop(1);
  tcp::acceptor acceptor = listener(loop);
  Client client(loop);
  client.connection->connect({{acceptor.local_endpoint()}}, "", kLong);
  tcp::socket peer = acceptor.accept();
  run_until(loop, [&] { return client.seen.opened; });
  peer.close();
  client.connection->send("into the void");
  client.connection->send("and again");
  run_until(loop, [&] { return client.seen.closed; });
  EXPECT_GT(client.connection->send("after the end"), 0);
}

TEST(Connection, a_refused_connect_says_so) {
  boost::asio::io_context loop(1);
  Client client(loop);
  client.connection->connect({{nobody(loop)}}, "", kLong);
  run_until(loop, [&] { return client.seen.closed; });
  EXPECT_FALSE(client.seen.opened);
  EXPECT_EQ(client.seen.failure, "could not connect: Connection refused");
}

TEST(Connection, the_next_address_is_tried_where_one_refuses) {
  boost::asio::io_context loop(1);
  Peer peer(loop);
  Client client(loop);
  client.connection->connect({{nobody(loop), peer.address().endpoints.front()}}, "", kLong);
  run_until(loop, [&] { return client.seen.opened || client.seen.closed; });
  EXPECT_TRUE(client.seen.opened);
}

TEST(Connection, after_close_nothing_is_called) {
  boost::asio::io_context loop(1);
  Peer peer(loop);
  Client client(loop);
  client.connection->connect(peer.address(), "", kLong);
  run_until(loop, [&] { return client.seen.opened && peer.seen.opened; });
  peer.connection->send("late");
  client.connection->close();
  run_until(loop, [&] { return peer.seen.closed; });
  EXPECT_FALSE(client.seen.closed);
  EXPECT_EQ(client.seen.received, "");
}

}  // namespace
}  // namespace steelyard::wire
