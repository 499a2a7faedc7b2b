// A TCP connection to the first of several addresses that answers (RFC 8305, simplified): they are
// tried in their order, the next one a quarter of a second after the one before, or at once where
// that failed, and the first that opens wins. So a family of addresses that leads nowhere costs a
// quarter of a second and not a time limit.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/clock.h"
#include "wire/address.h"

namespace steelyard::wire {

class Dialer : public std::enable_shared_from_this<Dialer> {
 public:
  static constexpr base::Nanos kNextAfter = 250 * base::kMillisecond;

  using Socket = boost::asio::ip::tcp::socket;
  using Opened = std::function<void(Socket socket)>;
  using Failed = std::function<void(const std::string& why)>;

  Dialer(boost::asio::io_context& loop, Resolved to);

  // One of the two is called, once and from the loop, unless it is cancelled first.
  void start(Opened opened, Failed failed);
  void cancel();

 private:
  void try_next();
  void ended(std::size_t which, const boost::system::error_code& failed);

  boost::asio::io_context& loop_;
  boost::asio::steady_timer timer_;
  Resolved to_;
  std::vector<Socket> attempts_;  // one an address, in order
  std::size_t out_ = 0;
  Opened opened_;
  Failed failed_;
  bool over_ = false;
};

}  // namespace steelyard::wire
