#include "wire/dialer.h"

namespace steelyard::wire {

using boost::system::error_code;

Dialer::Dialer(boost::asio::io_context& loop, Resolved to)
    : loop_(loop), timer_(loop), to_(std::move(to)) {
  attempts_.reserve(to_.endpoints.size());
}

void Dialer::start(Opened opened, Failed failed) {
  opened_ = std::move(opened);
  failed_ = std::move(failed);
  try_next();
}

void Dialer::try_next() {
  const std::size_t which = attempts_.size();
  if (over_ || which == to_.endpoints.size()) {
    return;
  }
  ++out_;
  attempts_.emplace_back(loop_);
  attempts_[which].async_connect(
      to_.endpoints[which],
      [self = shared_from_this(), which](const error_code& failed) { self->ended(which, failed); });
  if (attempts_.size() < to_.endpoints.size()) {
    timer_.expires_after(std::chrono::nanoseconds(kNextAfter));
    timer_.async_wait([self = shared_from_this()](const error_code& cancelled) {
      if (!cancelled) {
        self->try_next();
      }
    });
  }
}

void Dialer::ended(std::size_t which, const error_code& failed) {
  --out_;
  if (over_) {
    return;
  }
  if (!failed) {
    Socket won = std::move(attempts_[which]);
    const Opened opened = std::move(opened_);
    cancel();
    opened(std::move(won));
    return;
  }
  if (attempts_.size() < to_.endpoints.size()) {
    timer_.cancel();
    try_next();
  } else if (out_ == 0) {
    const Failed tell = std::move(failed_);
    cancel();
    tell("could not connect: " + failed.message());
  }
}

void Dialer::cancel() {
  over_ = true;
  timer_.cancel();
  for (Socket& attempt : attempts_) {
    error_code ignored;
    attempt.close(ignored);
  }
  opened_ = nullptr;
  failed_ = nullptr;
}

}  // namespace steelyard::wire
