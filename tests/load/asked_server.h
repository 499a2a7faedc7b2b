// A server that answers each request with what a function makes of it: for all that depends on what
// was sent. A thread a connection.
#pragma once

#include <atomic>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "wire/http_reader.h"
#include "wire/url.h"

namespace steelyard::load {

class AskedServer {
 public:
  // Called under a lock, one request after the other. Gives a whole HTTP message.
  using Answer = std::function<std::string(const wire::HttpHead& head, const std::string& body)>;

  explicit AskedServer(Answer answer);
  ~AskedServer();
  AskedServer(const AskedServer&) = delete;
  AskedServer& operator=(const AskedServer&) = delete;

  [[nodiscard]] wire::Url url() const;

 private:
  void serve();
  void serve_connection(boost::asio::ip::tcp::socket& socket);

  Answer answer_;
  boost::asio::io_context loop_;
  boost::asio::ip::tcp::acceptor acceptor_;
  std::atomic<bool> over_{false};
  std::mutex mutex_;  // of answer_ and of what follows
  std::vector<int> open_;
  std::vector<std::thread> connections_;
  std::thread thread_;
};

}  // namespace steelyard::load
