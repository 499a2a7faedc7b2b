// A platform of some slots and a queue, in no time at all: what a step sees of it.
#pragma once

#include <algorithm>
#include <functional>
#include <queue>
#include <vector>

#include "base/random.h"
#include "made_up_log.h"
#include "study/step_meter.h"

namespace steelyard::study {

struct MadeUpQueue {
  int slots = 8;
  base::Nanos service = 500 * base::kMillisecond;
  bool exponential = false;  // service times, of that mean
  std::uint64_t seed = 1;
};

// A request's TTFT is its wait and a tenth of its service time.
inline measure::RequestLog served(base::Nanos sent, base::Nanos begun, base::Nanos service) {
  constexpr std::int64_t kTokens = 10;
  const base::Nanos itl = service * 9 / 10 / (kTokens - 1);
  return completed({sent, begun - sent + service / 10, itl, kTokens, 100});
}

class QueueRun {
 public:
  QueueRun(const MadeUpQueue& queue, const Load& load) : queue_(queue), load_(load) {
    for (int i = 0; i < queue.slots; ++i) {
      free_at_.push(kStart);
    }
  }

  // Until there is a finding, or for so long.
  Finding measure(StepMeter& meter, base::Nanos at_most) {
    constexpr base::Nanos kTick = 20 * base::kMillisecond;
    meter.begin(kStart);
    for (base::Nanos now = kStart; now < kStart + at_most; now += kTick) {
      send_until(now);
      while (!running_.empty() && running_.top().end_at <= now) {
        meter.ended(running_.top());
        running_.pop();
        if (!load_.open_loop()) {
          send(now);
        }
      }
      if (meter.look(now, static_cast<std::int64_t>(running_.size()))) {
        break;
      }
    }
    return meter.conclude(kStart + at_most, {"over", "over"});
  }

 private:
  static constexpr base::Nanos kStart = 1'000 * base::kSecond;
  struct Later {
    bool operator()(const measure::RequestLog& a, const measure::RequestLog& b) const {
      return a.end_at > b.end_at;
    }
  };

  void send_until(base::Nanos now) {
    if (!load_.open_loop()) {
      while (static_cast<double>(running_.size()) < load_.value) {
        send(now);
      }
      return;
    }
    while (next_arrival_ <= now) {
      send(next_arrival_);
      next_arrival_ += base::from_seconds(random_.exponential() / load_.value);
    }
  }
  void send(base::Nanos at) {
    const base::Nanos begun = std::max(at, free_at_.top());
    free_at_.pop();
    const base::Nanos service =
        queue_.exponential
            ? static_cast<base::Nanos>(static_cast<double>(queue_.service) * random_.exponential())
            : queue_.service;
    free_at_.push(begun + service);
    running_.push(served(at, begun, std::max<base::Nanos>(service, 100)));
  }

  MadeUpQueue queue_;
  Load load_;
  base::Random random_{queue_.seed};
  base::Nanos next_arrival_ = kStart;
  std::priority_queue<base::Nanos, std::vector<base::Nanos>, std::greater<>> free_at_;
  std::priority_queue<measure::RequestLog, std::vector<measure::RequestLog>, Later> running_;
};

}  // namespace steelyard::study
