#include "load/ready_queue.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

namespace steelyard::load {
namespace {

// Enough for the requests of one instant, little beside the streams that are out.
constexpr std::size_t kMostReady = 256;
constexpr std::size_t kMostBytes = 8U << 20U;

}  // namespace

ReadyQueue::ReadyQueue(const Target& target, const Plan& plan)
    : plan_(plan), next_index_(plan.first_index) {
  head_ = fmt::format(
      "POST {} HTTP/1.1\r\nHost: {}\r\nContent-Type: application/json\r\n"
      "Accept: {}\r\nAccept-Encoding: identity\r\nUser-Agent: steelyard\r\n",
      wire::request_target(target.url, target.path, target.proxy), target.url.authority(),
      plan.stream ? "text/event-stream, application/json" : "application/json");
  if (target.reuse == Reuse::kPerRequest) {
    head_ += "Connection: close\r\n";
  }
  for (const wire::Fields& fields :
       {wire::proxy_fields(target.url, target.proxy), fields_of(target)}) {
    for (const auto& [name, value] : fields) {
      head_.append(name).append(": ").append(value).append("\r\n");
    }
  }
}

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
