// The HTTP/1.1 messages of a run.
#pragma once

#include <atomic>
#include <string>
#include <string_view>

#include "base/error.h"
#include "load/plan.h"
#include "platform/authorizer.h"
#include "platform/call.h"

namespace steelyard::load {

// What is asked of a target, as far as its signature covers it.
struct Asked {
  std::string_view method;
  std::string_view path;  // put after the URL's own
  std::string_view body;  // JSON; "" for none
};

// The fields by which it says who asks, now.
[[nodiscard]] wire::Fields auth_fields(const Target& target, platform::Authorizer& authorizer,
                                       const wire::Url& url, const Asked& asked);

// All fields of something asked beside a run: the target's own, and who asks. Blocks where a token
// must be had first; `stop` becoming true ends that. The error is the token's.
[[nodiscard]] base::Result<wire::Fields> fields_beside(const Target& target, const Asked& asked,
                                                       const std::atomic<bool>* stop = nullptr);

// The head of every request of a run, up to what each has of its own.
[[nodiscard]] std::string head_of(const Target& target, platform::Authorizer& authorizer,
                                  bool stream);

void append_fields(const wire::Fields& fields, std::string& to);

// Where a follow-up goes, and its message.
struct FollowMessage {
  wire::Url url;  // without a path
  bool same_host = true;
  std::string message;
};
// An address that is none, or one to which the key must not be sent, is bad input: over TLS only
// the target's own host, its parent domain and what is below that may have it.
[[nodiscard]] base::Result<FollowMessage> message_of(const Target& target,
                                                     platform::Authorizer& authorizer,
                                                     const platform::FollowUp& follow_up);

}  // namespace steelyard::load
