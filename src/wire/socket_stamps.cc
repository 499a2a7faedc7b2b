#include "wire/socket_stamps.h"

#include <linux/errqueue.h>
#include <linux/net_tstamp.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/uio.h>

#include <algorithm>
#include <array>
#include <cstring>

namespace steelyard::wire {
namespace {

// A stamp older than this is a clock that was stepped, not a late read.
constexpr base::Nanos kOldestStamp = 60 * base::kSecond;
// The kernel stamps the last byte of a write, and of a long one that leaves round trips after the
// first: the stamp is asked for a first piece alone.
constexpr std::size_t kStampedPiece = 4'096;

// The difference to now is the same on both clocks.
std::optional<base::Nanos> monotonic_of(const cmsghdr& control, const base::BothClocks& now) {
  timespec wall{};
  std::memcpy(&wall, CMSG_DATA(&control), sizeof wall);  // the first of three: the software stamp
  const base::Nanos at = static_cast<base::Nanos>(wall.tv_sec) * base::kSecond + wall.tv_nsec;
  const base::Nanos ago = now.wall - at;
  return at != 0 && ago >= 0 && ago < kOldestStamp ? std::optional(now.monotonic - ago)
                                                   : std::nullopt;
}

template <typename Take>
void each_control(const msghdr& message, Take&& take) {
  for (const cmsghdr* c = CMSG_FIRSTHDR(&message); c != nullptr;
       c = CMSG_NXTHDR(const_cast<msghdr*>(&message), const_cast<cmsghdr*>(c))) {
    take(*c);
  }
}

bool is_stamp(const cmsghdr& control) {
  return control.cmsg_level == SOL_SOCKET && control.cmsg_type == SO_TIMESTAMPING;
}

bool is_error(const cmsghdr& control) {
  return (control.cmsg_level == SOL_IP && control.cmsg_type == IP_RECVERR) ||
         (control.cmsg_level == SOL_IPV6 && control.cmsg_type == IPV6_RECVERR);
}

std::int64_t send_asking(int socket, std::string_view bytes, int flags) {
  iovec vector{const_cast<char*>(bytes.data()), bytes.size()};
  alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(std::uint32_t))> control{};
  msghdr message{};
  message.msg_iov = &vector;
  message.msg_iovlen = 1;
  message.msg_control = control.data();
  message.msg_controllen = control.size();
  cmsghdr* asked = CMSG_FIRSTHDR(&message);
  asked->cmsg_level = SOL_SOCKET;
  asked->cmsg_type = SO_TIMESTAMPING;
  asked->cmsg_len = CMSG_LEN(sizeof(std::uint32_t));
  constexpr std::uint32_t kWhat = SOF_TIMESTAMPING_TX_SOFTWARE;
  std::memcpy(CMSG_DATA(asked), &kWhat, sizeof kWhat);
  return ::sendmsg(socket, &message, flags);
}

}  // namespace

void SocketStamps::begin(int socket) {
  *this = SocketStamps{};
  const int what = SOF_TIMESTAMPING_RX_SOFTWARE | SOF_TIMESTAMPING_SOFTWARE |
                   SOF_TIMESTAMPING_OPT_ID | SOF_TIMESTAMPING_OPT_TSONLY;
  ::setsockopt(socket, SOL_SOCKET, SO_TIMESTAMPING, &what, sizeof what);
}

std::int64_t SocketStamps::read(int socket, std::span<char> into, ReadStamp& stamp) {
  iovec vector{into.data(), into.size()};
  alignas(cmsghdr) std::array<char, 256> control{};
  msghdr message{};
  message.msg_iov = &vector;
  message.msg_iovlen = 1;
  message.msg_control = control.data();
  message.msg_controllen = control.size();
  const std::int64_t got = ::recvmsg(socket, &message, 0);
  if (got <= 0) {
    return got;
  }
  const base::BothClocks now = base::both_now();
  stamp = {now.monotonic, now.monotonic};
  each_control(message, [&](const cmsghdr& each) {
    if (is_stamp(each)) {
      stamp.kernel = monotonic_of(each, now).value_or(stamp.kernel);
    }
  });
  // Two reads of one packet have one stamp, which carried over twice differs by some nanoseconds.
  last_read_ = stamp.kernel = std::max(stamp.kernel, last_read_);
  return got;
}

std::int64_t SocketStamps::write(int socket, std::string_view bytes) {
  const std::int64_t sent = ::send(socket, bytes.data(), bytes.size(), MSG_NOSIGNAL);
  written_ += sent > 0 ? static_cast<std::uint32_t>(sent) : 0;
  return sent;
}

std::int64_t SocketStamps::write_stamped(int socket, std::string_view bytes) {
  forget();
  const std::string_view first = bytes.substr(0, kStampedPiece);
  const bool whole = first.size() == bytes.size();
  // MSG_MORE: the piece leaves with what follows, in one packet.
  const std::int64_t sent = send_asking(socket, first, MSG_NOSIGNAL | (whole ? 0 : MSG_MORE));
  if (sent <= 0) {
    return sent;
  }
  written_ += static_cast<std::uint32_t>(sent);
  asked_ = written_ - 1;
  if (whole || sent < static_cast<std::int64_t>(first.size())) {
    return sent;
  }
  return sent + std::max<std::int64_t>(write(socket, bytes.substr(kStampedPiece)), 0);
}

void SocketStamps::forget() {
  sent_at_.reset();
  asked_.reset();
}

std::optional<base::Nanos> SocketStamps::sent_at(int socket) {
  if (!sent_at_) {
    take_told(socket);
  }
  return sent_at_;
}

void SocketStamps::take_told(int socket) {
  for (;;) {
    alignas(cmsghdr) std::array<char, 256> control{};
    msghdr message{};
    message.msg_control = control.data();
    message.msg_controllen = control.size();
    if (::recvmsg(socket, &message, MSG_ERRQUEUE | MSG_DONTWAIT) < 0) {
      return;
    }
    std::optional<base::Nanos> at;
    std::optional<std::uint32_t> byte;
    each_control(message, [&](const cmsghdr& each) {
      sock_extended_err told{};
      if (is_stamp(each)) {
        at = monotonic_of(each, base::both_now());
      } else if (is_error(each)) {
        std::memcpy(&told, CMSG_DATA(&each), sizeof told);
        const bool stamps = told.ee_origin == SO_EE_ORIGIN_TIMESTAMPING;
        byte = stamps ? std::optional<std::uint32_t>(told.ee_data) : std::nullopt;
      }
    });
    if (at && byte && byte == asked_ && !sent_at_) {
      sent_at_ = at;
    }
  }
}

}  // namespace steelyard::wire
