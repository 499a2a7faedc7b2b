#include "emulate/truth_connection.h"

#include <linux/net_tstamp.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cctype>
#include <cerrno>
#include <cstring>

#include "base/clock.h"

namespace steelyard::emulate {
namespace {

constexpr std::size_t kLongestBody = 64U << 20U;

// A stamp older than this is a clock that was stepped, not a late read.
constexpr base::Nanos kOldestStamp = 60 * base::kSecond;

// One loop reads one connection at a time.
thread_local std::array<char, 64U << 10U> read_buffer;

// The kernel stamps on the wall clock; the difference to now carries over to the monotonic one.
base::Nanos arrival_of(const msghdr& message) {
  const base::BothClocks now = base::both_now();
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
      return now.monotonic - ago;
    }
  }
  return now.monotonic;
}

std::size_t size_of(std::span<const iovec> pieces) {
  std::size_t size = 0;
  for (const iovec& piece : pieces) {
    size += piece.iov_len;
  }
  return size;
}

bool would_block(int error) { return error == EAGAIN || error == EWOULDBLOCK || error == EINTR; }

}  // namespace

TruthConnection::~TruthConnection() { ::close(socket_); }

TruthConnection::Read TruthConnection::read() {
  iovec vector{read_buffer.data(), read_buffer.size()};
  alignas(cmsghdr) std::array<char, 128> control;
  msghdr message{};
  message.msg_iov = &vector;
  message.msg_iovlen = 1;
  message.msg_control = control.data();
  message.msg_controllen = control.size();
  const ssize_t count = ::recvmsg(socket_, &message, 0);
  if (count < 0) {
    return would_block(errno) ? Read::kAgain : Read::kClosed;
  }
  if (count == 0) {
    return Read::kClosed;
  }
  arrival_ = arrival_of(message);
  unread_.append(read_buffer.data(), static_cast<std::size_t>(count));
  too_long_ = too_long_ || unread_.size() > kLongestBody;
  return Read::kAgain;
}

bool TruthConnection::next_request() {
  if (unread_.empty() || !fault().empty()) {
    return false;
  }
  // Bytes that begin no request would be waited on for a line's end that never comes.
  const auto first = static_cast<unsigned char>(unread_.front());
  no_http_ = !reader_.begun() && std::isalpha(first) == 0 && first != '\r' && first != '\n';
  if (no_http_) {
    return false;
  }
  const std::size_t taken = reader_.feed(unread_, [&](std::string_view piece) { body_ += piece; });
  unread_.erase(0, taken);
  too_long_ = too_long_ || body_.size() > kLongestBody;
  if (!reader_.done() && reader_.head_complete() && !continued_ &&
      !reader_.head().field("expect").empty()) {
    continued_ = true;
    (void)write("HTTP/1.1 100 Continue\r\n\r\n");  // a peer that has gone is seen at the next read
  }
  return fault().empty() && reader_.done();
}

std::string_view TruthConnection::fault() const {
  if (no_http_) {
    return "that is no HTTP request";
  }
  return too_long_ ? "the request is longer than 64 MiB" : reader_.error();
}

void TruthConnection::finish_request() {
  body_.clear();
  reader_.reset();
  continued_ = false;
}

bool TruthConnection::write(std::string_view bytes) {
  if (has_rest()) {
    rest_ += bytes;
    return true;
  }
  const ssize_t sent = ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
  if (sent < 0 && !would_block(errno)) {
    return false;
  }
  rest_ = bytes.substr(sent < 0 ? 0 : static_cast<std::size_t>(sent));
  return true;
}

bool TruthConnection::write(std::span<iovec> pieces) {
  if (has_rest()) {
    keep_rest(pieces, 0);
    return true;
  }
  msghdr message{};
  message.msg_iov = pieces.data();
  message.msg_iovlen = pieces.size();
  const ssize_t sent = ::sendmsg(socket_, &message, MSG_NOSIGNAL);
  if (sent < 0 && !would_block(errno)) {
    return false;
  }
  const std::size_t count = sent < 0 ? 0 : static_cast<std::size_t>(sent);
  if (count < size_of(pieces)) {
    keep_rest(pieces, count);
  }
  return true;
}

void TruthConnection::keep_rest(std::span<const iovec> pieces, std::size_t sent) {
  for (const iovec& piece : pieces) {
    const std::size_t skipped = std::min(sent, piece.iov_len);
    rest_.append(static_cast<const char*>(piece.iov_base) + skipped, piece.iov_len - skipped);
    sent -= skipped;
  }
}

bool TruthConnection::flush() {
  const ssize_t sent = ::send(socket_, rest_.data(), rest_.size(), MSG_NOSIGNAL);
  if (sent < 0) {
    return would_block(errno);
  }
  rest_.erase(0, static_cast<std::size_t>(sent));
  return true;
}

void TruthConnection::reset_on_close() const {
  const linger at_once{1, 0};
  ::setsockopt(socket_, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
}

}  // namespace steelyard::emulate
