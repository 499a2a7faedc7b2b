#include "load/ready_queue.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "load/message.h"

namespace steelyard::load {
namespace {

// Enough for the requests of one instant, little beside the streams that are out.
constexpr std::size_t kMostReady = 256;
constexpr std::size_t kMostBytes = 8U << 20U;

}  // namespace

ReadyQueue::ReadyQueue(const Target& target, const Plan& plan)
    : plan_(plan), head_(head_of(target, plan.stream)), next_index_(plan.first_index) {}

void ReadyQueue::fill() {
  while (ready_.size() < kMostReady && (bytes_ < kMostBytes || ready_.empty()) &&
         plan_.requests->next_due()) {
    Outgoing out;
    if (!spare_.empty()) {
      out.message = std::move(spare_.back());
      spare_.pop_back();
    }
    write(plan_.requests->next(), out);
    bytes_ += out.message.size();
    // Nearly always the last; a turn that an answer called forth may come before what was planned.
    const auto after = std::ranges::upper_bound(ready_, out.due, {}, &Outgoing::due);
    ready_.insert(after, std::move(out));
  }
}

void ReadyQueue::write(const workload::Request& request, Outgoing& into) {
  body_.clear();
  plan_.write_body(request, body_);
  into.index = next_index_++;
  into.due = request.due;
  into.input_tokens = request.input_tokens;
  into.output_tokens = request.output_tokens;
  into.message.assign(head_);
  fmt::format_to(std::back_inserter(into.message),
                 "X-Request-Id: {}-{}\r\nContent-Length: {}\r\n\r\n", plan_.run_id, into.index,
                 body_.size());
  into.message += body_;
}

Outgoing ReadyQueue::take() {
  Outgoing out = std::move(ready_.front());
  ready_.pop_front();
  bytes_ -= out.message.size();
  return out;
}

void ReadyQueue::recycle(std::string&& message) {
  if (message.capacity() > 0 && spare_.size() < kMostReady) {
    spare_.push_back(std::move(message));
  }
}

}  // namespace steelyard::load
