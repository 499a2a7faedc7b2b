// Which stream writes next: a heap by due time. An entry whose stream ended meanwhile is not taken
// out but known by its turn, which the stream no longer has.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "base/clock.h"

namespace steelyard::emulate {

class PaceQueue {
 public:
  struct Entry {
    base::Nanos due = 0;
    std::uint32_t slot = 0;
    std::uint32_t turn = 0;
  };

  [[nodiscard]] bool empty() const { return heap_.empty(); }
  [[nodiscard]] base::Nanos next_due() const { return heap_.front().due; }
  void push(const Entry& entry) {
    heap_.push_back(entry);
    std::push_heap(heap_.begin(), heap_.end(), later);
  }
  Entry pop() {
    std::pop_heap(heap_.begin(), heap_.end(), later);
    const Entry entry = heap_.back();
    heap_.pop_back();
    return entry;
  }

 private:
  static bool later(const Entry& a, const Entry& b) { return a.due > b.due; }
  std::vector<Entry> heap_;
};

}  // namespace steelyard::emulate
