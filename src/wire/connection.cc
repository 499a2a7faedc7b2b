#include "wire/connection.h"

#include <linux/net_tstamp.h>
#include <sys/socket.h>
#include <sys/uio.h>

#include <array>
#include <cerrno>
#include <cstring>

namespace steelyard::wire {
namespace {

using boost::system::error_code;

// One buffer a thread: a loop reads one connection at a time.
constexpr std::size_t kReadSize = 128U << 10U;
thread_local std::array<char, kReadSize> read_buffer;
thread_local std::array<char, kReadSize> plain_buffer;

// A stamp older than this is a clock that was stepped, not a late read.
constexpr base::Nanos kOldestStamp = 60 * base::kSecond;

struct BothClocks {
  base::Nanos monotonic;
  base::Nanos wall;
};

// Both clocks at one moment: read again where this thread was held up between the two.
BothClocks both_clocks() {
  constexpr int kTries = 4;
  for (int i = 1;; ++i) {
    const BothClocks now{base::monotonic_now(), base::wall_now()};
    if (i == kTries || base::monotonic_now() - now.monotonic < base::kMicrosecond) {
      return now;
    }
  }
}

// The kernel stamps on the wall clock; the difference to now carries over to the monotonic one.
ReadStamp stamp_of(const msghdr& message) {
  const BothClocks now = both_clocks();
  ReadStamp stamp{now.monotonic, now.monotonic};
  for (const cmsghdr* c = CMSG_FIRSTHDR(&message); c != nullptr;
       c = CMSG_NXTHDR(const_cast<msghdr*>(&message), const_cast<cmsghdr*>(c))) {
    if (c->cmsg_level != SOL_SOCKET || c->cmsg_type != SO_TIMESTAMPING) {
      continue;
    }
    timespec wall{};
    std::memcpy(&wall, CMSG_DATA(c), sizeof wall);  // the first of three is the software stamp
    const base::Nanos at = static_cast<base::Nanos>(wall.tv_sec) * base::kSecond + wall.tv_nsec;
    const base::Nanos ago = now.wall - at;
    if (at != 0 && ago >= 0 && ago < kOldestStamp) {
      stamp.kernel = stamp.user - ago;
    }
  }
  return stamp;
}

void set_options(boost::asio::ip::tcp::socket& socket) {
  error_code ignored;
  socket.non_blocking(true, ignored);
  socket.set_option(boost::asio::ip::tcp::no_delay(true), ignored);
  const int stamps = SOF_TIMESTAMPING_RX_SOFTWARE | SOF_TIMESTAMPING_SOFTWARE;
  ::setsockopt(socket.native_handle(), SOL_SOCKET, SO_TIMESTAMPING, &stamps, sizeof stamps);
}

}  // namespace

Connection::Connection(boost::asio::io_context& loop, std::shared_ptr<TlsContext> tls)
    : socket_(loop), timer_(loop), tls_(std::move(tls)) {}

void Connection::connect(const Resolved& to, const std::string& host, base::Nanos timeout) {
  to_ = to;
  host_ = host;
  timeout_ = timeout;
  try_next_endpoint();
}

void Connection::try_next_endpoint() {
  if (next_endpoint_ == to_.endpoints.size()) {
    fail(last_failure_);
    return;
  }
  const auto endpoint = to_.endpoints[next_endpoint_++];
  error_code ignored;
  socket_.close(ignored);
  timer_.expires_after(std::chrono::nanoseconds(timeout_));
  timer_.async_wait([self = shared_from_this()](const error_code& cancelled) {
    if (!cancelled && !self->open_) {
      self->last_failure_ = "no connection within the time limit";
      error_code unused;
      self->socket_.close(unused);  // fails the connect or the handshake
    }
  });
  socket_.async_connect(endpoint, [self = shared_from_this()](const error_code& failed) {
    if (self->closed_) {
      return;
    }
    if (!failed) {
      self->start();
      return;
    }
    if (failed != boost::asio::error::operation_aborted) {
      self->last_failure_ = "could not connect: " + failed.message();
    }
    self->try_next_endpoint();
  });
}

void Connection::accept(boost::asio::ip::tcp::socket socket) {
  socket_ = std::move(socket);
  start();
}

void Connection::start() {
  set_options(socket_);
  wait_readable();
  if (!tls_) {
    opened();
    return;
  }
  session_.emplace(*tls_, host_);
  if (!host_.empty()) {
    take_tls({}, {});  // the client speaks first
  }
}

void Connection::opened() {
  open_ = true;
  timer_.cancel();
  if (handler_ != nullptr) {
    handler_->on_open();
  }
}

void Connection::wait_readable() {
  socket_.async_wait(boost::asio::ip::tcp::socket::wait_read, [self = shared_from_this()](
                                                                  const error_code& failed) {
    if (self->closed_) {
      return;
    }
    if (failed) {
      self->fail(self->last_failure_.empty() ? failed.message() : self->last_failure_);
      return;
    }
    self->on_readable();
  });
}

void Connection::on_readable() {
  iovec vector{read_buffer.data(), read_buffer.size()};
  alignas(cmsghdr) std::array<char, 256> control{};
  msghdr message{};
  message.msg_iov = &vector;
  message.msg_iovlen = 1;
  message.msg_control = control.data();
  message.msg_controllen = control.size();
  const ssize_t got = ::recvmsg(socket_.native_handle(), &message, 0);
  if (got < 0 && (errno == EAGAIN || errno == EINTR)) {
    wait_readable();
    return;
  }
  if (got <= 0) {
    fail(got == 0 ? "" : std::strerror(errno));
    return;
  }
  const auto self = shared_from_this();  // the handler may let go of it
  ReadStamp stamp = stamp_of(message);
  // Two reads of one packet have one stamp, which carried over twice differs by some nanoseconds.
  last_stamp_ = stamp.kernel = std::max(stamp.kernel, last_stamp_);
  take({read_buffer.data(), static_cast<std::size_t>(got)}, stamp);
  if (!closed_) {
    wait_readable();
  }
}

void Connection::take(std::string_view bytes, ReadStamp stamp) {
  if (session_) {
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

base::Nanos Connection::send(std::string_view bytes) {
  if (closed_) {
    return base::monotonic_now();
  }
  const base::Nanos at = base::monotonic_now();
  if (!session_) {
    send_raw(bytes);
  } else if (session_->write(bytes)) {
    flush_tls();
  }
  return at;
}

void Connection::send_raw(std::string_view bytes) {
  if (queue_.empty()) {
    const ssize_t sent = ::send(socket_.native_handle(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
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
  error_code ignored;
  socket_.close(ignored);
}

}  // namespace steelyard::wire
