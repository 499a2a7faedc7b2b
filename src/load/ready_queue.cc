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

// Clouds take a signature for 5 minutes and more. These bounds keep it off the send itself, and so
// out of the send lag.
constexpr base::Nanos kSignAhead = 2 * base::kSecond;
constexpr base::Nanos kSignedFor = 50 * base::kSecond;
constexpr std::size_t kMostSigned = 8;  // in one turn of the loop, and no longer than
constexpr base::Nanos kSigning = 500 * base::kMicrosecond;

}  // namespace

ReadyQueue::ReadyQueue(const Target& target, const Plan& plan, platform::Authorizer& authorizer)
    : target_(target),
      plan_(plan),
      authorizer_(authorizer),
      signs_(authorizer.each_request()),
      head_(head_of(target, authorizer, plan.stream)),
      next_index_(plan.first_index) {}

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
  fmt::format_to(std::back_inserter(into.message), "X-Request-Id: {}-{}\r\nContent-Length: {}\r\n",
                 plan_.run_id, into.index, body_.size());
  into.auth_at = into.message.size();
  into.auth_size = 0;
  into.body_size = body_.size();
  into.signed_at = 0;
  into.message += "\r\n";
  into.message += body_;
}

void ReadyQueue::sign(Outgoing& out, base::Nanos now) {
  const std::string_view body =
      std::string_view(out.message).substr(out.message.size() - out.body_size);
  std::string fields;
  append_fields(auth_fields(target_, authorizer_, target_.url, {"POST", target_.path, body}),
                fields);
  out.message.replace(out.auth_at, out.auth_size, fields);
  out.auth_size = fields.size();
  out.signed_at = now;
  out.edition = authorizer_.edition();
}

bool ReadyQueue::is_signed(const Outgoing& out, base::Nanos at) const {
  return out.signed_at != 0 && at - out.signed_at < kSignedFor &&
         out.edition == authorizer_.edition();
}

std::optional<base::Nanos> ReadyQueue::sign_some(base::Nanos began, base::Nanos now) {
  std::optional<base::Nanos> next;
  const auto come_back = [&](base::Nanos at) { next = std::min(next.value_or(at), at); };
  std::size_t signed_now = 0;
  for (Outgoing& out : ready_) {
    const base::Nanos from = began + out.due - kSignAhead;
    if (!signs_ || from > now) {
      if (signs_) {
        come_back(from);
      }
      break;  // the rest is due later still
    }
    if (!is_signed(out, now)) {
      if (signed_now == kMostSigned || base::monotonic_now() - now > kSigning) {
        return now + kNextTurn;
      }
      sign(out, now);
      ++signed_now;
    }
    come_back(out.signed_at + kSignedFor);
  }
  return next;
}

Outgoing ReadyQueue::take() {
  Outgoing out = std::move(ready_.front());
  ready_.pop_front();
  bytes_ -= out.message.size() - out.auth_size;
  // Where it came too fast to be signed ahead, or a token was renewed just now.
  if (signs_) {
    const base::Nanos now = base::monotonic_now();
    if (!is_signed(out, now - kSignAhead)) {
      sign(out, now);
    }
  }
  return out;
}

void ReadyQueue::recycle(std::string&& message) {
  if (message.capacity() > 0 && spare_.size() < kMostReady) {
    spare_.push_back(std::move(message));
  }
}

}  // namespace steelyard::load
