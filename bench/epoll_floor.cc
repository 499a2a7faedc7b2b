// What a stream costs a client that does nothing with it: epoll, recvmsg with the kernel's stamps,
// and two histograms. No HTTP, no SSE, no JSON; the end of an answer is known by its last bytes.
// The least that any client on this machine can use, and so the measure of ours.
//
//   epoll_floor PORT STREAMS REQUESTS TOKENS      on 127.0.0.1; prints one line of JSON
#include <arpa/inet.h>
#include <fmt/format.h>
#include <linux/net_tstamp.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cstring>
#include <string_view>
#include <vector>

#include "base/check.h"
#include "measure/histogram.h"

namespace {

using steelyard::base::Nanos;

struct Stream {
  int socket = -1;
  Nanos sent = 0;
  Nanos last = 0;  // 0: no token yet
};

struct Run {
  std::string request;
  int left = 0;
  int open = 0;
  steelyard::measure::Histogram ttft;
  steelyard::measure::Histogram itl;
};

std::string request_of(int tokens) {
  const std::string body = fmt::format(
      R"({{"model":"emulated-model","stream":true,"max_tokens":{},)"
      R"("stream_options":{{"include_usage":true}},"messages":[{{"role":"user","content":"hi"}}]}})",
      tokens);
  return fmt::format(
      "POST /v1/chat/completions HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
      "Content-Length: {}\r\n\r\n{}",
      body.size(), body);
}

int connected_to(int port) {
  const int socket = ::socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in to{};
  to.sin_family = AF_INET;
  to.sin_port = htons(static_cast<std::uint16_t>(port));
  to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  const int stamps = SOF_TIMESTAMPING_RX_SOFTWARE | SOF_TIMESTAMPING_SOFTWARE;
  const int one = 1;
  STEELYARD_CHECK(::connect(socket, reinterpret_cast<sockaddr*>(&to), sizeof to) == 0,
                  "the truth server listens");
  ::setsockopt(socket, SOL_SOCKET, SO_TIMESTAMPING, &stamps, sizeof stamps);
  ::setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
  return socket;
}

// The kernel's stamp, on the wall clock.
Nanos stamp_of(msghdr& message) {
  for (cmsghdr* c = CMSG_FIRSTHDR(&message); c != nullptr; c = CMSG_NXTHDR(&message, c)) {
    if (c->cmsg_level == SOL_SOCKET && c->cmsg_type == SO_TIMESTAMPING) {
      timespec at{};
      std::memcpy(&at, CMSG_DATA(c), sizeof at);
      return static_cast<Nanos>(at.tv_sec) * steelyard::base::kSecond + at.tv_nsec;
    }
  }
  return steelyard::base::wall_now();
}

void send_next(Run& run, Stream& stream) {
  if (run.left == 0) {
    --run.open;
    ::close(stream.socket);
    return;
  }
  --run.left;
  stream.last = 0;
  stream.sent = steelyard::base::wall_now();
  STEELYARD_CHECK(::send(stream.socket, run.request.data(), run.request.size(), MSG_NOSIGNAL) > 0,
                  "a short request fits into the socket");
}

void take(Run& run, Stream& stream) {
  static std::array<char, 128U << 10U> buffer;
  iovec vector{buffer.data(), buffer.size()};
  alignas(cmsghdr) std::array<char, 128> control;
  msghdr message{};
  message.msg_iov = &vector;
  message.msg_iovlen = 1;
  message.msg_control = control.data();
  message.msg_controllen = control.size();
  const ssize_t count = ::recvmsg(stream.socket, &message, 0);
  STEELYARD_CHECK(count > 0, "the truth server keeps the connection");
  const Nanos at = stamp_of(message);
  if (stream.last == 0) {
    run.ttft.record(at - stream.sent);
  } else {
    run.itl.record(at - stream.last);
  }
  stream.last = at;
  const std::string_view bytes(buffer.data(), static_cast<std::size_t>(count));
  if (bytes.ends_with("\r\n0\r\n\r\n")) {
    send_next(run, stream);
  }
}

double ms(const steelyard::measure::Histogram& histogram, double q) {
  return steelyard::base::to_ms(histogram.percentile(q).value_or(0));
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 5) {
    fmt::print(stderr, "error: expects PORT STREAMS REQUESTS TOKENS\n");
    return 2;
  }
  Run run;
  run.request = request_of(std::atoi(argv[4]));
  run.left = std::atoi(argv[3]);
  run.open = std::atoi(argv[2]);
  std::vector<Stream> streams(static_cast<std::size_t>(run.open));
  const int poll = ::epoll_create1(0);
  for (Stream& stream : streams) {
    stream.socket = connected_to(std::atoi(argv[1]));
    epoll_event event{};
    event.events = EPOLLIN;
    event.data.ptr = &stream;
    ::epoll_ctl(poll, EPOLL_CTL_ADD, stream.socket, &event);
  }
  for (Stream& stream : streams) {
    send_next(run, stream);
  }
  std::array<epoll_event, 512> events;
  while (run.open > 0) {
    const int count = ::epoll_wait(poll, events.data(), static_cast<int>(events.size()), -1);
    for (int i = 0; i < count; ++i) {
      take(run, *static_cast<Stream*>(events[static_cast<std::size_t>(i)].data.ptr));
    }
  }
  fmt::print(R"({{"ttft_ms":{{"p50":{},"p99":{}}},"itl_ms":{{"p50":{},"p99":{}}}}})"
             "\n",
             ms(run.ttft, 0.5), ms(run.ttft, 0.99), ms(run.itl, 0.5), ms(run.itl, 0.99));
  return 0;
}
