// A server that answers the n-th request with the n-th script, byte for byte, whatever was asked:
// for everything that a well-behaved server never does.
#pragma once

#include <atomic>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <string>
#include <thread>
#include <vector>

#include "wire/url.h"

namespace steelyard::load {

struct Script {
  enum class End { kKeepOpen, kClose, kReset };

  std::string bytes;  // a kPause within them waits for 40 ms
  End end = End::kKeepOpen;
  std::size_t piece = 1U << 20U;  // bytes a write

  static constexpr char kPause = '\x01';
};

class ScriptedServer {
 public:
  // After the last script the last is repeated.
  explicit ScriptedServer(std::vector<Script> scripts);
  ~ScriptedServer();
  ScriptedServer(const ScriptedServer&) = delete;
  ScriptedServer& operator=(const ScriptedServer&) = delete;

  [[nodiscard]] wire::Url url() const;
  [[nodiscard]] int connections() const { return connections_; }
  [[nodiscard]] int requests() const { return requests_; }
  // Of the last request, as it came. After the run only.
  [[nodiscard]] const std::string& last_request() const { return last_request_; }

 private:
  void serve();
  void serve_connection(boost::asio::ip::tcp::socket& socket);
  static bool play(boost::asio::ip::tcp::socket& socket, const Script& script);

  std::vector<Script> scripts_;
  boost::asio::io_context loop_;
  boost::asio::ip::tcp::acceptor acceptor_;
  std::atomic<int> connections_{0};
  std::atomic<int> requests_{0};
  std::atomic<bool> over_{false};
  std::string last_request_;
  std::thread thread_;
};

}  // namespace steelyard::load
