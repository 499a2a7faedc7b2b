// The next requests of a source, their messages already written, so that sending costs nothing but
// the write. It holds a few: a run of a million does not fit into memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "load/plan.h"
#include "platform/authorizer.h"

namespace steelyard::load {

struct Outgoing {
  std::size_t index = 0;
  base::Nanos due = 0;             // after the start
  std::int64_t input_tokens = 0;   // as planned
  std::int64_t output_tokens = 0;  // the limit it asks for
  std::string message;             // HTTP/1.1
  // Of a message that says anew who sends it: where in it, and since when (monotonic; 0: not yet).
  std::size_t auth_at = 0;
  std::size_t auth_size = 0;
  std::size_t body_size = 0;
  base::Nanos signed_at = 0;
  std::uint64_t edition = 0;  // the authorizer's
};

class ReadyQueue {
 public:
  // Where more is to be signed than fits into a turn of the loop.
  static constexpr base::Nanos kNextTurn = base::kMillisecond;

  // All outlive it.
  ReadyQueue(const Target& target, const Plan& plan, platform::Authorizer& authorizer);

  // Takes from the source what fits. To be called before `empty` and `front`.
  void fill();
  [[nodiscard]] bool empty() const { return ready_.empty(); }
  // The next one due.
  [[nodiscard]] const Outgoing& front() const { return ready_.front(); }
  [[nodiscard]] base::Nanos last_due() const { return ready_.back().due; }
  [[nodiscard]] Outgoing take();
  // Signs a few of those that are due soon and are not signed, or too long ago: the schedule's zero
  // is at `began`, monotonic as `now`. Gives when there is more to do; absent: never.
  std::optional<base::Nanos> sign_some(base::Nanos began, base::Nanos now);
  // The memory of a message that has been sent.
  void recycle(std::string&& message);

  // Taken from the source, but not from here.
  [[nodiscard]] std::int64_t waiting() const { return static_cast<std::int64_t>(ready_.size()); }
  // Taken from the source so far.
  [[nodiscard]] std::int64_t taken() const {
    return static_cast<std::int64_t>(next_index_ - plan_.first_index);
  }
  void clear() { ready_.clear(); }

 private:
  void write(const workload::Request& request, Outgoing& into);
  void sign(Outgoing& out, base::Nanos now);
  // Whether its signature holds at that time.
  [[nodiscard]] bool is_signed(const Outgoing& out, base::Nanos at) const;

  const Target& target_;
  const Plan& plan_;
  platform::Authorizer& authorizer_;
  bool signs_;        // each message anew
  std::string head_;  // of every request, up to its id
  std::string body_;
  std::deque<Outgoing> ready_;  // ascending in `due`
  std::size_t bytes_ = 0;
  std::size_t next_index_ = 0;
  std::vector<std::string> spare_;
};

}  // namespace steelyard::load
