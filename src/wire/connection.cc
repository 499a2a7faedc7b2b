#include "wire/connection.h"

#include <fmt/format.h>

#include <array>
#include <cerrno>
#include <cstring>

#include "wire/dialer.h"

namespace steelyard::wire {
namespace {

using boost::asio::ip::tcp;
using boost::system::error_code;

// One buffer a thread: a loop reads one connection at a time.
constexpr std::size_t kReadSize = 128U << 10U;
thread_local std::array<char, kReadSize> read_buffer;
thread_local std::array<char, kReadSize> plain_buffer;

void set_options(boost::asio::ip::tcp::socket& socket) {
  error_code ignored;
  socket.non_blocking(true, ignored);
  socket.set_option(boost::asio::ip::tcp::no_delay(true), ignored);
}

}  // namespace

Connection::Connection(boost::asio::io_context& loop, std::shared_ptr<TlsContext> tls,
                       std::string_view alpn)
    : loop_(loop), socket_(loop), timer_(loop), tls_(std::move(tls)), alpn_(alpn) {}

void Connection::connect(const Resolved& to, const std::string& host, base::Nanos timeout,
                         const std::string& tunnel_request) {
  host_ = host;
  tunnel_request_ = tunnel_request;
  began_at_ = base::monotonic_now();
  timer_.expires_after(std::chrono::nanoseconds(timeout));
  timer_.async_wait([self = shared_from_this()](const error_code& cancelled) {
    if (!cancelled && !self->open_) {
      self->fail("no connection within the time limit");
    }
  });
  dialer_ = std::make_shared<Dialer>(loop_, to);
  dialer_->start(
      [weak = weak_from_this()](tcp::socket socket) {
        if (const auto self = weak.lock()) {
          self->dialer_.reset();
          self->socket_ = std::move(socket);
          self->start();
        }
      },
      [weak = weak_from_this()](const std::string& why) {
        if (const auto self = weak.lock()) {
          self->dialer_.reset();
          self->fail(why);
        }
      });
}

void Connection::accept(boost::asio::ip::tcp::socket socket) {
  socket_ = std::move(socket);
  start();
}

void Connection::start() {
  set_options(socket_);
  stamps_.begin(socket_.native_handle());
  wait_readable();
  if (tunnel_request_.empty()) {
    secure();
    return;
  }
  tunnel_.emplace(HttpReader::Side::kResponses);
  send_raw(tunnel_request_);
}

void Connection::take_tunnel(std::string_view bytes) {
  tunnel_->feed(bytes, [](std::string_view) {});
  if (!tunnel_->error().empty()) {
    fail("what the proxy answers is no HTTP");
  } else if (tunnel_->head_complete()) {
    const HttpHead head = tunnel_->head();
    tunnel_.reset();
    if (head.status / 100 == 2) {
      secure();
    } else {
      fail(fmt::format("the proxy refused: HTTP {} {}", head.status, head.reason));
    }
  }
}

void Connection::secure() {
  connected_at_ = base::monotonic_now();
  if (!tls_) {
    opened();
    return;
  }
  session_.emplace(*tls_, host_, alpn_);
  if (!host_.empty()) {
    take_tls({}, {});  // the client speaks first
  }
}

void Connection::opened() {
  open_ = true;
  times_.tcp = connected_at_ - began_at_;
  if (session_) {
    times_.tls = base::monotonic_now() - connected_at_;
  }
  timer_.cancel();
  if (handler_ != nullptr) {
    handler_->on_open();
  }
}

void Connection::wait_readable() {
  socket_.async_wait(boost::asio::ip::tcp::socket::wait_read,
                     [self = shared_from_this()](const error_code& failed) {
                       if (self->closed_) {
                         return;
                       }
                       if (failed) {
                         self->fail(failed.message());
                         return;
                       }
                       self->on_readable();
                     });
}

void Connection::on_readable() {
  ReadStamp stamp;
  const std::int64_t got = stamps_.read(socket_.native_handle(), read_buffer, stamp);
  if (got < 0 && (errno == EAGAIN || errno == EINTR)) {
    // What woke it may be word of a send, which stays readable until it is taken.
    static_cast<void>(sent_at());
    wait_readable();
    return;
  }
  if (got <= 0) {
    fail(got == 0 ? "" : std::strerror(errno));
    return;
  }
  const auto self = shared_from_this();  // the handler may let go of it
  take({read_buffer.data(), static_cast<std::size_t>(got)}, stamp);
  if (!closed_) {
    wait_readable();
  }
}

void Connection::take(std::string_view bytes, ReadStamp stamp) {
  if (tunnel_) {
    take_tunnel(bytes);
  } else if (session_) {
    take_tls(bytes, stamp);
  } else if (handler_ != nullptr) {
    handler_->on_bytes(bytes, stamp);
  }
}

void Connection::take_tls(std::string_view bytes, ReadStamp stamp) {
  const auto taken = session_->take(bytes);
  flush_tls();
  if (!taken) {
    fail(taken.error().what);
    return;
  }
  if (session_->established() && !open_) {
    opened();
  }
  while (!closed_) {
    const auto got = session_->read(plain_buffer.data(), plain_buffer.size());
    flush_tls();
    if (!got || session_->closed()) {
      fail(got ? "" : got.error().what);
      return;
    }
    if (*got == 0) {
      return;
    }
    if (handler_ != nullptr) {
      handler_->on_bytes({plain_buffer.data(), *got}, stamp);
    }
  }
}

void Connection::flush_tls() {
  const std::string ciphertext = session_->output();
  if (!ciphertext.empty()) {
    send_raw(ciphertext);
  }
}

base::Nanos Connection::send(std::string_view bytes, bool stamped) {
  const base::Nanos at = base::monotonic_now();
  if (closed_) {
    return at;
  }
  stamp_next_ = stamped;
  if (stamped) {
    stamps_.forget();  // what goes through the queue gets no stamp
  }
  if (!session_) {
    send_raw(bytes);
  } else if (session_->write(bytes)) {
    flush_tls();
  }
  stamp_next_ = false;
  return at;
}

std::optional<base::Nanos> Connection::sent_at() {
  return closed_ ? std::nullopt : stamps_.sent_at(socket_.native_handle());
}

void Connection::send_raw(std::string_view bytes) {
  if (queue_.empty()) {
    const int socket = socket_.native_handle();
    const std::int64_t sent =
        stamp_next_ ? stamps_.write_stamped(socket, bytes) : stamps_.write(socket, bytes);
    if (sent > 0) {
      bytes.remove_prefix(static_cast<std::size_t>(sent));
    } else if (sent < 0 && errno != EAGAIN && errno != EINTR) {
      return;  // the read side reports the loss
    }
  }
  if (!bytes.empty()) {
    queue_ += bytes;
    wait_writable();
  }
}

void Connection::wait_writable() {
  if (writing_) {
    return;
  }
  writing_ = true;
  socket_.async_wait(boost::asio::ip::tcp::socket::wait_write,
                     [self = shared_from_this()](const error_code& failed) {
                       self->writing_ = false;
                       if (failed || self->closed_) {
                         return;
                       }
                       const std::string waiting = std::exchange(self->queue_, {});
                       self->send_raw(waiting);
                       if (self->closing_ && self->queue_.empty()) {
                         self->close();
                       }
                     });
}

void Connection::fail(const std::string& why) {
  if (closed_) {
    return;
  }
  const auto self = shared_from_this();
  close();
  if (handler_ != nullptr) {
    handler_->on_closed(why);
  }
}

void Connection::close_when_sent() {
  handler_ = nullptr;
  closing_ = true;
  if (queue_.empty()) {
    close();
  }
}

void Connection::close() {
  closed_ = true;
  open_ = false;
  timer_.cancel();
  if (const auto dialer = std::exchange(dialer_, nullptr)) {
    dialer->cancel();
  }
  error_code ignored;
  socket_.close(ignored);
}

}  // namespace steelyard::wire
