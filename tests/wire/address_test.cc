#include "wire/address.h"

#include "two_ends.h"

namespace steelyard::wire {
namespace {

using boost::asio::ip::make_address;
using boost::asio::ip::tcp;

tcp::endpoint at(const std::string& address) { return {make_address(address), 80}; }

TEST(Address, the_two_families_are_tried_in_turn_beginning_with_the_first) {
  using Endpoints = std::vector<tcp::endpoint>;
  const Endpoints mixed = {at("fd00::1"), at("fd00::2"), at("fd00::3"), at("10.0.0.1")};
  EXPECT_EQ(in_turn(mixed),
            (Endpoints{at("fd00::1"), at("10.0.0.1"), at("fd00::2"), at("fd00::3")}));
  const Endpoints one = {at("10.0.0.1"), at("10.0.0.2")};
  EXPECT_EQ(in_turn(one), one);
  EXPECT_EQ(in_turn({}), Endpoints{});
}

TEST(Address, literals_of_both_families_need_no_resolver) {
  const auto four = resolve(parse_url("", "http://127.0.0.1:8000").value()).value();
  EXPECT_EQ(four.endpoints, std::vector<tcp::endpoint>({{make_address("127.0.0.1"), 8000}}));
  const auto six = resolve(parse_url("", "http://[::1]:8000").value()).value();
  EXPECT_EQ(six.endpoints, std::vector<tcp::endpoint>({{make_address("::1"), 8000}}));
}

TEST(Address, an_address_that_never_answers_does_not_hold_up_the_next) {
  boost::asio::io_context loop(1);
  // A listener whose queue is full drops what comes: connecting hangs.
  tcp::acceptor full(loop, {make_address("127.0.0.1"), 0});
  full.listen(0);
  std::vector<std::shared_ptr<Client>> fillers;
  for (int i = 0; i < 3; ++i) {
    fillers.push_back(std::make_shared<Client>(loop));
    fillers.back()->connection->connect({{full.local_endpoint()}}, "", base::kSecond * 600);
  }
  Peer peer(loop);
  Client client(loop);
  const base::Nanos began = base::monotonic_now();
  client.connection->connect({{full.local_endpoint(), peer.address().endpoints.front()}}, "",
                             base::kSecond * 600);
  run_until(loop, [&] { return client.seen.opened || client.seen.closed; });
  EXPECT_TRUE(client.seen.opened);
  EXPECT_GE(base::monotonic_now() - began, 250 * base::kMillisecond);
}

TEST(Address, an_ipv6_peer_is_reached_and_its_stamps_come) {
  boost::asio::io_context loop(1);
  boost::system::error_code failed;
  tcp::acceptor acceptor(loop, tcp::v6());
  acceptor.bind({make_address("::1"), 0}, failed);
  if (failed) {
    GTEST_SKIP() << "this machine has no IPv6 loopback: " << failed.message();
  }
  acceptor.listen();
  Client client(loop);
  client.connection->connect({{acceptor.local_endpoint()}}, "", base::kSecond * 60);
  tcp::socket peer = acceptor.accept();
  run_until(loop, [&] { return client.seen.opened; });
  client.connection->send("ask", true);
  EXPECT_TRUE(client.connection->sent_at());
}

}  // namespace
}  // namespace steelyard::wire
