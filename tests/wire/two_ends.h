// A connection of ours and its peer, both on one loop, over a real socket of the loopback.
#pragma once

#include <boost/asio/io_context.hpp>
#include <memory>
#include <string>
#include <vector>

#include "wire/connection.h"

namespace steelyard::wire {

// Keeps what comes.
struct Recorder : Connection::Handler {
  void on_open() override { opened = true; }
  void on_bytes(std::string_view bytes, ReadStamp stamp) override {
    received += bytes;
    stamps.push_back(stamp);
  }
  void on_closed(const std::string& why) override {
    closed = true;
    failure = why;
  }

  bool opened = false;
  bool closed = false;
  std::string failure;
  std::string received;
  std::vector<ReadStamp> stamps;
};

// The server's side; every connection that comes is taken, the last one kept.
class Peer {
 public:
  explicit Peer(boost::asio::io_context& loop, std::shared_ptr<TlsContext> tls = nullptr)
      : loop_(loop),
        tls_(std::move(tls)),
        acceptor_(loop, {boost::asio::ip::address_v4::loopback(), 0}) {
    accept();
  }
  ~Peer() {
    if (connection) {
      connection->set_handler(nullptr);
      connection->close();
    }
  }

  [[nodiscard]] Resolved address() const { return {{acceptor_.local_endpoint()}}; }

  Recorder seen;
  std::shared_ptr<Connection> connection;

 private:
  void accept() {
    acceptor_.async_accept(
        [this](const boost::system::error_code& failed, boost::asio::ip::tcp::socket socket) {
          if (failed) {
            return;
          }
          connection = std::make_shared<Connection>(loop_, tls_);
          connection->set_handler(&seen);
          connection->accept(std::move(socket));
          accept();
        });
  }

  boost::asio::io_context& loop_;
  std::shared_ptr<TlsContext> tls_;
  boost::asio::ip::tcp::acceptor acceptor_;
};

// The client's side.
class Client {
 public:
  explicit Client(boost::asio::io_context& loop, std::shared_ptr<TlsContext> tls = nullptr)
      : connection(std::make_shared<Connection>(loop, std::move(tls))) {
    connection->set_handler(&seen);
  }
  ~Client() {
    connection->set_handler(nullptr);
    connection->close();
  }

  Recorder seen;
  std::shared_ptr<Connection> connection;
};

// Runs the loop until it holds or nothing more can happen.
template <typename Condition>
void run_until(boost::asio::io_context& loop, Condition&& holds) {
  while (!holds() && loop.run_one() > 0) {
  }
  EXPECT_TRUE(holds());
}

}  // namespace steelyard::wire
