#include "emulate/truth_server.h"

#include <fmt/format.h>
#include <linux/net_tstamp.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>

#include "emulate/fault_scripts.h"

namespace steelyard::emulate {
namespace {

constexpr std::uint64_t kListenerTag = ~std::uint64_t{0};
constexpr std::uint64_t kStopTag = kListenerTag - 1;
constexpr int kEventsAtOnce = 512;
// The wait is made shorter by this share and waited again: the kernel rounds long waits up by a
// thousandth, which would be 20 us on 20 ms.
constexpr base::Nanos kWaitShare = 500;

int set(int socket, int level, int option, int value) {
  return ::setsockopt(socket, level, option, &value, sizeof value);
}

std::uint64_t tag_of(const TruthConnection& connection) {
  return (std::uint64_t{connection.turn} << 32U) | connection.slot();
}

base::Status cannot_listen(const TruthOptions& options, int error) {
  return base::environment_error(fmt::format("{}:{}", options.host, options.port),
                                 fmt::format("cannot listen there: {}", std::strerror(error)),
                                 "another port, or 0 for any free one");
}

}  // namespace

base::Result<std::unique_ptr<TruthServer>> TruthServer::start(TruthOptions options) {
  std::unique_ptr<TruthServer> server(new TruthServer(std::move(options)));
  if (const auto listening = server->listen(); !listening) {
    return tl::unexpected(listening.error());
  }
  return server;
}

TruthServer::TruthServer(TruthOptions options)
    : options_(std::move(options)),
      chat_bytes_(true, options_.model),
      text_bytes_(false, options_.model) {}

TruthServer::~TruthServer() {
  connections_.clear();
  for (const int descriptor : {listener_, poll_, stop_}) {
    if (descriptor >= 0) {
      ::close(descriptor);
    }
  }
}

base::Status TruthServer::listen() {
  addrinfo wanted{};
  wanted.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV | AI_PASSIVE;
  wanted.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  if (::getaddrinfo(options_.host.c_str(), std::to_string(options_.port).c_str(), &wanted,
                    &found) != 0) {
    return base::bad_input("--host", "'" + options_.host + "' is no IP address",
                           "for example 127.0.0.1, or 0.0.0.0 for every interface");
  }
  const std::unique_ptr<addrinfo, void (*)(addrinfo*)> address(found, ::freeaddrinfo);
  listener_ = ::socket(address->ai_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  set(listener_, SOL_SOCKET, SO_REUSEADDR, 1);
  // Set here, accepted sockets have it from their first byte on.
  set(listener_, SOL_SOCKET, SO_TIMESTAMPING,
      SOF_TIMESTAMPING_RX_SOFTWARE | SOF_TIMESTAMPING_SOFTWARE);
  set(listener_, IPPROTO_TCP, TCP_NODELAY, 1);
  if (options_.instant) {
    set(listener_, SOL_SOCKET, SO_SNDBUF, 4 << 20);  // the kernel caps it at net.core.wmem_max
  }
  if (listener_ < 0 || ::bind(listener_, address->ai_addr, address->ai_addrlen) != 0 ||
      ::listen(listener_, SOMAXCONN) != 0) {
    return cannot_listen(options_, errno);
  }
  poll_ = ::epoll_create1(EPOLL_CLOEXEC);
  stop_ = ::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  for (const auto& [descriptor, tag] : {std::pair(listener_, kListenerTag), {stop_, kStopTag}}) {
    epoll_event event{};
    event.events = EPOLLIN;
    event.data.u64 = tag;
    if (::epoll_ctl(poll_, EPOLL_CTL_ADD, descriptor, &event) != 0) {
      return cannot_listen(options_, errno);
    }
  }
  return {};
}

std::string TruthServer::url() const {
  sockaddr_storage bound{};
  socklen_t size = sizeof bound;
  ::getsockname(listener_, reinterpret_cast<sockaddr*>(&bound), &size);
  const bool v6 = bound.ss_family == AF_INET6;
  const std::uint16_t port = v6 ? reinterpret_cast<const sockaddr_in6*>(&bound)->sin6_port
                                : reinterpret_cast<const sockaddr_in*>(&bound)->sin_port;
  return fmt::format("http://{}{}{}:{}", v6 ? "[" : "", options_.host, v6 ? "]" : "", ntohs(port));
}

void TruthServer::stop() const {
  const std::uint64_t one = 1;
  (void)!::write(stop_, &one, sizeof one);
}

void TruthServer::run() {
  ::prctl(PR_SET_TIMERSLACK, 1);  // of this thread: waits end on time, not up to 50 us later
  while (running_) {
    write_due();
    wait_for_events();
  }
}

void TruthServer::wait_for_events() {
  timespec wait{};
  if (!queue_.empty()) {
    base::Nanos left = std::max<base::Nanos>(queue_.next_due() - base::monotonic_now(), 0);
    left -= left / kWaitShare;
    wait.tv_sec = left / base::kSecond;
    wait.tv_nsec = left % base::kSecond;
  }
  std::array<epoll_event, kEventsAtOnce> events;
  const int count = ::epoll_pwait2(poll_, events.data(), kEventsAtOnce,
                                   queue_.empty() ? nullptr : &wait, nullptr);
  for (int i = 0; i < count; ++i) {
    const auto& event = events[static_cast<std::size_t>(i)];
    on_event(event.data.u64, event.events);
  }
}

void TruthServer::on_event(std::uint64_t tag, std::uint32_t events) {
  if (tag == kStopTag) {
    running_ = false;
    return;
  }
  if (tag == kListenerTag) {
    accept_waiting();
    return;
  }
  const auto slot = static_cast<std::uint32_t>(tag);
  const auto turn = static_cast<std::uint32_t>(tag >> 32U);
  if ((events & EPOLLOUT) != 0) {
    if (auto* connection = find(slot, turn)) {
      on_writable(*connection);
    }
  }
  if ((events & ~std::uint32_t{EPOLLOUT}) != 0) {
    if (auto* connection = find(slot, turn)) {
      on_readable(*connection);
    }
  }
}

void TruthServer::accept_waiting() {
  for (;;) {
    const int socket = ::accept4(listener_, nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC);
    if (socket < 0) {
      return;
    }
    if (free_slots_.empty()) {
      free_slots_.push_back(static_cast<std::uint32_t>(connections_.size()));
      connections_.emplace_back();
      turns_.push_back(0);
    }
    const std::uint32_t slot = free_slots_.back();
    free_slots_.pop_back();
    auto connection = std::make_unique<TruthConnection>(socket, slot);
    connection->turn = turns_[slot]++;
    epoll_event event{};
    event.events = EPOLLIN;
    event.data.u64 = tag_of(*connection);
    ::epoll_ctl(poll_, EPOLL_CTL_ADD, socket, &event);
    connections_[slot] = std::move(connection);
  }
}

TruthConnection* TruthServer::find(std::uint32_t slot, std::uint32_t turn) const {
  TruthConnection* connection = connections_[slot].get();
  return connection != nullptr && connection->turn == turn ? connection : nullptr;
}

void TruthServer::watch(TruthConnection& connection, bool writable) const {
  if (connection.watches_writable == writable) {
    return;
  }
  connection.watches_writable = writable;
  epoll_event event{};
  event.events = writable ? EPOLLIN | EPOLLOUT : EPOLLIN;
  event.data.u64 = tag_of(connection);
  ::epoll_ctl(poll_, EPOLL_CTL_MOD, connection.socket(), &event);
}

void TruthServer::close(TruthConnection& connection) {
  const TruthReply& reply = connection.reply;
  if (reply.active) {
    tally_.end(reply.truth, base::monotonic_now(), measure::Outcome::kConnection);
  }
  const std::uint32_t slot = connection.slot();
  connections_[slot].reset();
  free_slots_.push_back(slot);
}

}  // namespace steelyard::emulate
