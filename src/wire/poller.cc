#include "wire/poller.h"

#include <sys/epoll.h>

#include <array>
#include <cerrno>
#include <system_error>

namespace steelyard::wire {
namespace {

constexpr std::size_t kBatch = 128;  // told at a time: between two batches the loop has its turn
constexpr std::uint32_t kEnd = EPOLLRDHUP | EPOLLHUP | EPOLLERR;

int new_epoll() {
  const int made = ::epoll_create1(EPOLL_CLOEXEC);
  if (made < 0) {
    throw std::system_error(errno, std::system_category(), "epoll_create1");
  }
  return made;
}

}  // namespace

boost::asio::execution_context::id Poller::id;

Poller& Poller::of(boost::asio::io_context& loop) { return boost::asio::use_service<Poller>(loop); }

Poller::Poller(boost::asio::execution_context& loop)
    : service(loop), epoll_(static_cast<boost::asio::io_context&>(loop), new_epoll()) {}

void Poller::watch(int socket, std::shared_ptr<Watched> watched) {
  const auto place = static_cast<std::size_t>(socket);
  if (watched_.size() <= place) {
    watched_.resize(place + 1);
  }
  watched_[place] = std::move(watched);
  ++count_;
  epoll_event event{};
  event.events = EPOLLIN | EPOLLOUT | EPOLLRDHUP | EPOLLET;
  event.data.fd = socket;
  if (::epoll_ctl(epoll_.native_handle(), EPOLL_CTL_ADD, socket, &event) != 0) {
    throw std::system_error(errno, std::system_category(), "epoll_ctl");
  }
  wait();
}

void Poller::forget(int socket) {
  ::epoll_ctl(epoll_.native_handle(), EPOLL_CTL_DEL, socket, nullptr);
  auto& place = watched_[static_cast<std::size_t>(socket)];
  if (dispatching_) {
    dropped_.push_back(std::move(place));  // it may be the one that is being told
  }
  place.reset();
  if (--count_ == 0) {
    epoll_.cancel();  // an idle loop may end
  }
}

void Poller::wait() {
  if (waiting_ || count_ == 0) {
    return;
  }
  waiting_ = true;
  epoll_.async_wait(boost::asio::posix::stream_descriptor::wait_read,
                    [this](const boost::system::error_code& cancelled) {
                      waiting_ = false;
                      if (!cancelled) {
                        dispatch();
                      }
                      wait();
                    });
}

void Poller::dispatch() {
  std::array<epoll_event, kBatch> events;
  const int count = ::epoll_wait(epoll_.native_handle(), events.data(), kBatch, 0);
  dispatching_ = true;
  for (int i = 0; i < count; ++i) {
    const epoll_event& event = events[static_cast<std::size_t>(i)];
    // Forgotten since, or another by the same number, who then is told too much.
    if (Watched* watched = watched_[static_cast<std::size_t>(event.data.fd)].get()) {
      watched->on_ready({.readable = (event.events & (EPOLLIN | kEnd)) != 0,
                         .ended = (event.events & kEnd) != 0,
                         .writable = (event.events & EPOLLOUT) != 0});
    }
  }
  dispatching_ = false;
  dropped_.clear();
}

void Poller::shutdown() {
  epoll_.close();
  watched_.clear();
}

}  // namespace steelyard::wire
