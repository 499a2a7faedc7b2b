// The truth about millions of requests in bounded memory: histograms of what was written and when,
// how far from the schedule, and the latest requests one by one.
//
// A token's time is taken just before the system call that writes it. On one machine that call runs
// the receiver's half of the network as well, so the receiver's own kernel stamp falls within it,
// and a client's error against this truth is never below zero. A request's time is the kernel's
// stamp of its arrival.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "measure/histogram.h"
#include "measure/summary.h"

namespace steelyard::emulate {

// A histogram that also knows its mean.
class Tally {
 public:
  void record(base::Nanos value, std::uint64_t times = 1) {
    histogram_.record(value, times);
    sum_ += static_cast<double>(value) * static_cast<double>(times);
  }
  // In ms.
  [[nodiscard]] measure::Distribution distribution() const;

 private:
  measure::Histogram histogram_;
  double sum_ = 0;
};

class TruthTally {
 public:
  static constexpr std::size_t kMostRequests = 100'000;  // the oldest are overwritten

  // One answer being given. An answer that was begun before the last clear() counts no more.
  struct Reply {
    base::Nanos arrival = 0;
    base::Nanos first = 0;  // token; 0: none yet
    base::Nanos last = 0;
    std::int64_t tokens = 0;
    std::uint64_t era = 0;
  };

  TruthTally() { clear(); }

  [[nodiscard]] Reply begin(base::Nanos arrival);
  // `tokens` in one write at that time.
  void wrote(Reply& reply, base::Nanos at, std::int64_t tokens);
  // The whole answer, unstreamed: it has no first token.
  void wrote_whole(Reply& reply, std::int64_t tokens);
  // How late a write was against its schedule, or that it had to wait for the client to read.
  void late(const Reply& reply, base::Nanos by);
  void blocked(const Reply& reply);
  void end(const Reply& reply, base::Nanos at, measure::Outcome outcome);
  void clear();

  // The emulator's keys (truth.h), and what tells whether this server itself was the limit:
  // "lateness_ms", "blocked_writes", "open", "server": {"cpu_s", "wall_s"}.
  [[nodiscard]] std::string summary_json() const;
  // {"clock", "dropped", "summary", "requests": [{"received_ns", "first_token_ns", ...}]}; times
  // are nanoseconds of CLOCK_MONOTONIC; in the order in which they ended.
  [[nodiscard]] std::string to_json() const;

 private:
  struct Ended {
    Reply reply;
    base::Nanos at = 0;
    measure::Outcome outcome = measure::Outcome::kCompleted;
  };
  [[nodiscard]] bool counts(const Reply& reply) const { return reply.era == era_; }

  std::uint64_t era_ = 0;
  std::int64_t requests_ = 0;
  std::int64_t completed_ = 0;
  std::int64_t failed_ = 0;
  std::int64_t output_tokens_ = 0;
  std::int64_t blocked_ = 0;
  Tally ttft_;
  Tally itl_;
  Tally tpot_;
  Tally e2e_;
  Tally lateness_;
  std::vector<Ended> latest_;  // a ring once it is full
  std::int64_t ended_ = 0;
  base::Nanos cleared_at_ = 0;
  base::Nanos cpu_at_clear_ = 0;
};

}  // namespace steelyard::emulate
