// Reads and writes of a TCP socket with the kernel's time stamps (SO_TIMESTAMPING, software):
// Linux's Documentation/networking/timestamping.rst. The kernel stamps on the wall clock; all times
// here are carried over to the monotonic one.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "base/clock.h"

namespace steelyard::wire {

// Both on the monotonic line.
struct ReadStamp {
  // When the last of these bytes came, never before those of the read before; `user` where the
  // kernel gave none.
  base::Nanos kernel = 0;
  base::Nanos user = 0;  // when this program saw them
};

class SocketStamps {
 public:
  // Of a connected socket that has sent nothing yet.
  void begin(int socket);

  // As recvmsg: the bytes read, 0 at the peer's end, -1 with errno.
  [[nodiscard]] std::int64_t read(int socket, std::span<char> into, ReadStamp& stamp);
  // As send: the bytes taken, -1 with errno.
  [[nodiscard]] std::int64_t write(int socket, std::string_view bytes);
  // The same, and asks for the time at which the first of them leaves this machine.
  [[nodiscard]] std::int64_t write_stamped(int socket, std::string_view bytes);
  // Nothing is asked for any more.
  void forget();
  // That time, once the kernel has told it; costs a system call until then. Takes whatever else
  // the kernel has to say of what was sent.
  [[nodiscard]] std::optional<base::Nanos> sent_at(int socket);

 private:
  void take_told(int socket);

  std::uint32_t written_ = 0;           // bytes, modulo 2^32, as the kernel counts them
  std::optional<std::uint32_t> asked_;  // the byte whose time is wanted
  std::optional<base::Nanos> sent_at_;
  base::Nanos last_read_ = 0;
};

}  // namespace steelyard::wire
