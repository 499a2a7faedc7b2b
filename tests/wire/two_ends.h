// A connection of ours and its peer, both on one loop, over a real socket of the loopback.
#pragma once

#include <boost/asio/io_context.hpp>
#include <functional>
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

// Takes every connection that comes to a port of the loopback.
class Listener {
 public:
  // Called before the connection's first word; sets its handler.
  using Come = std::function<void(const std::shared_ptr<Connection>& connection)>;

  Listener(boost::asio::io_context& loop, std::shared_ptr<TlsContext> tls, Come come)
      : loop_(loop),
        tls_(std::move(tls)),
        come_(std::move(come)),
        acceptor_(loop, {boost::asio::ip::address_v4::loopback(), 0}) {
    accept();
  }

  [[nodiscard]] Resolved address() const { return {{acceptor_.local_endpoint()}}; }

 private:
  void accept() {
    acceptor_.async_accept(
        [this](const boost::system::error_code& failed, boost::asio::ip::tcp::socket socket) {
          if (failed) {
            return;
          }
          const auto connection = std::make_shared<Connection>(loop_, tls_);
          come_(connection);
          connection->accept(std::move(socket));
          accept();
        });
  }

  boost::asio::io_context& loop_;
  std::shared_ptr<TlsContext> tls_;
  Come come_;
  boost::asio::ip::tcp::acceptor acceptor_;
};

// The server's side; the last connection is kept.
class Peer {
 public:
  explicit Peer(boost::asio::io_context& loop, std::shared_ptr<TlsContext> tls = nullptr)
      : listener_(loop, std::move(tls), [this](const std::shared_ptr<Connection>& fresh) {
          connection = fresh;
          connection->set_handler(&seen);
        }) {}
  ~Peer() {
    if (connection) {
      connection->set_handler(nullptr);
      connection->close();
    }
  }

  [[nodiscard]] Resolved address() const { return listener_.address(); }

  Recorder seen;
  std::shared_ptr<Connection> connection;

 private:
  Listener listener_;
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
