#include "scripted_server.h"

#include <sys/socket.h>

#include <boost/asio/write.hpp>

#include "wire/http_reader.h"

namespace steelyard::load {

using boost::asio::ip::tcp;
using boost::system::error_code;

namespace {

constexpr std::chrono::milliseconds kPauseTime{40};

void set_reset(tcp::socket& socket) {
  error_code ignored;
  socket.set_option(boost::asio::socket_base::linger(true, 0), ignored);
}

}  // namespace

ScriptedServer::ScriptedServer(std::vector<Script> scripts)
    : scripts_(std::move(scripts)),
      acceptor_(loop_, tcp::endpoint(boost::asio::ip::address_v4::loopback(), 0)),
      thread_([this] { serve(); }) {}

ScriptedServer::~ScriptedServer() {
  over_ = true;
  ::shutdown(acceptor_.native_handle(), SHUT_RDWR);  // wakes a thread that waits in accept
  thread_.join();
}

wire::Url ScriptedServer::url() const {
  wire::Url url;
  url.host = "127.0.0.1";
  url.port = acceptor_.local_endpoint().port();
  return url;
}

void ScriptedServer::serve() {
  while (!over_) {
    error_code failed;
    tcp::socket socket(loop_);
    acceptor_.accept(socket, failed);
    if (!failed) {
      ++connections_;
      socket.set_option(tcp::no_delay(true), failed);
      serve_connection(socket);
    }
  }
}

void ScriptedServer::serve_connection(tcp::socket& socket) {
  wire::HttpReader reader(wire::HttpReader::Side::kRequests);
  std::array<char, 65536> buffer{};
  std::string request;
  for (;;) {
    error_code failed;
    const std::size_t got = socket.read_some(boost::asio::buffer(buffer), failed);
    if (failed) {
      return;
    }
    request.append(buffer.data(), got);
    reader.feed({buffer.data(), got}, [](std::string_view) {});
    if (!reader.done()) {
      continue;
    }
    reader.reset();
    last_request_ = std::exchange(request, {});
    const auto number = static_cast<std::size_t>(requests_++);
    if (!play(socket, scripts_[std::min(number, scripts_.size() - 1)])) {
      return;
    }
  }
}

// False when the connection is not to be used further.
bool ScriptedServer::play(tcp::socket& socket, const Script& script) {
  std::string_view left = script.bytes;
  while (!left.empty()) {
    if (left.front() == Script::kPause) {
      std::this_thread::sleep_for(kPauseTime);
      left.remove_prefix(1);
      continue;
    }
    const std::string_view piece =
        left.substr(0, std::min(script.piece, left.find(Script::kPause)));
    left.remove_prefix(piece.size());
    error_code failed;
    boost::asio::write(socket, boost::asio::buffer(piece), failed);
    if (failed) {
      return false;
    }
  }
  if (script.end == Script::End::kReset) {
    // What was sent is to arrive before the reset does.
    std::this_thread::sleep_for(kPauseTime);
    set_reset(socket);
    error_code ignored;
    socket.close(ignored);  // its destructor would take the reset back
  }
  return script.end == Script::End::kKeepOpen;
}

}  // namespace steelyard::load
