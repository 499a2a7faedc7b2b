// Which sockets of a loop are ready, from an epoll of our own that the loop watches as one
// descriptor. Asio's own waiting costs a system call and a pass through its scheduler for each
// event; here a batch of events costs that once. Edge-triggered (epoll(7)): readiness is told once,
// and whoever is told reads until nothing is left.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <cstdint>
#include <memory>
#include <vector>

namespace steelyard::wire {

class Poller : public boost::asio::execution_context::service {
 public:
  struct Ready {
    bool readable = false;  // bytes, the peer's end, a failure, or word of a send
    bool ended = false;     // nothing comes behind what can be read
    bool writable = false;
  };

  class Watched {
   public:
    virtual ~Watched() = default;
    // May forget itself and others.
    virtual void on_ready(Ready ready) = 0;
  };

  // The poller of this loop; to be used on the loop's thread alone.
  static Poller& of(boost::asio::io_context& loop);

  explicit Poller(boost::asio::execution_context& loop);

  // Holds `watched` until it is forgotten or the loop ends, and tells at once what is ready
  // already. `socket` is connected and does not block; it is forgotten before it is closed. Throws
  // where the kernel watches no more.
  void watch(int socket, std::shared_ptr<Watched> watched);
  void forget(int socket);

  static boost::asio::execution_context::id id;

 private:
  void shutdown() override;
  void wait();
  void dispatch();

  boost::asio::posix::stream_descriptor epoll_;
  std::vector<std::shared_ptr<Watched>> watched_;  // by socket
  std::size_t count_ = 0;                          // of them
  std::vector<std::shared_ptr<Watched>> dropped_;  // by those being told
  bool waiting_ = false;
  bool dispatching_ = false;
};

}  // namespace steelyard::wire
