// The HTTP/1.1 messages of a run.
#pragma once

#include <string>
#include <string_view>

#include "base/error.h"
#include "load/plan.h"
#include "platform/call.h"

namespace steelyard::load {

// The head of every request of a run, up to what each has of its own.
[[nodiscard]] std::string head_of(const Target& target, bool stream);

// Where a follow-up goes, and its message.
struct FollowMessage {
  wire::Url url;  // without a path
  bool same_host = true;
  std::string message;
};
// An address that is none, or one to which the key must not be sent, is bad input: over TLS only
// the target's own host, its parent domain and what is below that may have it.
[[nodiscard]] base::Result<FollowMessage> message_of(const Target& target,
                                                     const platform::FollowUp& follow_up);

}  // namespace steelyard::load
