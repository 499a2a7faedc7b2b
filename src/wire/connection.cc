#include "wire/connection.h"

#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>

#include "wire/dialer.h"

namespace steelyard::wire {
namespace {

using boost::asio::ip::tcp;
using boost::system::error_code;

// One buffer a thread: a loop reads one connection at a time.
constexpr std::int64_t kReadSize = 128 << 10;
thread_local std::array<char, kReadSize> read_buffer;
thread_local std::array<char, kReadSize> plain_buffer;

int released(boost::asio::ip::tcp::socket& socket) {
  error_code ignored;
  socket.native_non_blocking(true, ignored);
  socket.set_option(boost::asio::ip::tcp::no_delay(true), ignored);
  return socket.release();
}

}  // namespace

Connection::Connection(boost::asio::io_context& loop, std::shared_ptr<TlsContext> tls,
                       std::string_view alpn)
    : loop_(loop), poller_(Poller::of(loop)), timer_(loop), tls_(std::move(tls)), alpn_(alpn) {}

Connection::~Connection() {
  if (socket_ >= 0) {
    ::close(socket_);
  }
}

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
          self->start(std::move(socket));
        }
      },
      [weak = weak_from_this()](const std::string& why) {
        if (const auto self = weak.lock()) {
          self->dialer_.reset();
          self->fail(why);
        }
      });
}

void Connection::accept(boost::asio::ip::tcp::socket socket) { start(std::move(socket)); }

void Connection::start(boost::asio::ip::tcp::socket socket) {
  socket_ = released(socket);
  stamps_.begin(socket_);
  poller_.watch(socket_, shared_from_this());
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

void Connection::on_ready(Poller::Ready ready) {
  if (ready.writable) {
    send_queued();
  }
  if (ready.readable) {
    read(ready.ended);
  }
}

// A read that does not fill the buffer has emptied the socket (epoll(7)); where the peer's end
// stands behind the bytes, only the next read tells it.
void Connection::read(bool to_the_end) {
  bool more = true;
  while (more && !closed_) {
    ReadStamp stamp;
    const std::int64_t got = stamps_.read(socket_, read_buffer, stamp);
    if (got > 0) {
      more = to_the_end || got == kReadSize;
      take({read_buffer.data(), static_cast<std::size_t>(got)}, stamp);
    } else if (got < 0 && errno == EAGAIN) {
      more = false;
      static_cast<void>(sent_at());  // what woke it may be word of a send
    } else {
      fail(got == 0 ? "" : std::strerror(errno));
    }
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
  return closed_ ? std::nullopt : stamps_.sent_at(socket_);
}

void Connection::send_raw(std::string_view bytes) {
  if (queue_.empty()) {
    const std::int64_t sent =
        stamp_next_ ? stamps_.write_stamped(socket_, bytes) : stamps_.write(socket_, bytes);
    if (sent > 0) {
      bytes.remove_prefix(static_cast<std::size_t>(sent));
    } else if (sent < 0 && errno != EAGAIN) {
      return;  // the read side reports the loss
    }
  }
  queue_ += bytes;
}

void Connection::send_queued() {
  if (queue_.empty()) {
    return;
  }
  const std::string waiting = std::exchange(queue_, {});
  send_raw(waiting);
  if (closing_ && queue_.empty()) {
    close();
  }
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
  if (socket_ >= 0) {
    poller_.forget(socket_);
    ::close(std::exchange(socket_, -1));
  }
}

}  // namespace steelyard::wire
