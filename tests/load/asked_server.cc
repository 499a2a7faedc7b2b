#include "asked_server.h"

#include <sys/socket.h>

#include <array>
#include <boost/asio/write.hpp>

namespace steelyard::load {

using boost::asio::ip::tcp;
using boost::system::error_code;

AskedServer::AskedServer(Answer answer)
    : answer_(std::move(answer)),
      acceptor_(loop_, tcp::endpoint(boost::asio::ip::address_v4::loopback(), 0)),
      thread_([this] { serve(); }) {}

AskedServer::~AskedServer() {
  over_ = true;
  ::shutdown(acceptor_.native_handle(), SHUT_RDWR);  // wakes a thread that waits in accept
  thread_.join();
  {
    const std::lock_guard lock(mutex_);
    for (const int socket : open_) {
      ::shutdown(socket, SHUT_RDWR);
    }
  }
  for (std::thread& connection : connections_) {
    connection.join();
  }
}

wire::Url AskedServer::url() const {
  wire::Url url;
  url.host = "127.0.0.1";
  url.port = acceptor_.local_endpoint().port();
  return url;
}

void AskedServer::serve() {
  while (!over_) {
    error_code failed;
    auto socket = std::make_shared<tcp::socket>(loop_);
    acceptor_.accept(*socket, failed);
    if (failed) {
      continue;
    }
    socket->set_option(tcp::no_delay(true), failed);
    const std::lock_guard lock(mutex_);
    open_.push_back(socket->native_handle());
    connections_.emplace_back([this, socket] {
      serve_connection(*socket);
      const std::lock_guard closing(mutex_);
      std::erase(open_, socket->native_handle());
      error_code ignored;
      socket->close(ignored);
    });
  }
}

void AskedServer::serve_connection(tcp::socket& socket) {
  wire::HttpReader reader(wire::HttpReader::Side::kRequests);
  std::array<char, 65536> buffer{};
  std::string body;
  for (;;) {
    error_code failed;
    const std::size_t got = socket.read_some(boost::asio::buffer(buffer), failed);
    if (failed) {
      return;
    }
    reader.feed({buffer.data(), got}, [&](std::string_view piece) { body += piece; });
    if (!reader.done()) {
      continue;
    }
    std::string bytes;
    {
      const std::lock_guard lock(mutex_);
      bytes = answer_(reader.head(), body);
    }
    boost::asio::write(socket, boost::asio::buffer(bytes), failed);
    reader.reset();
    body.clear();
  }
}

}  // namespace steelyard::load
