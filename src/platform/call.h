// A request that takes more than one exchange: platforms that hand out a job first, and have it
// asked for, or that send a client elsewhere. A call says what the answer at hand means and what is
// to be sent next; it opens nothing and keeps no clock. One serves a lane, request after request.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "platform/answer_event.h"
#include "wire/http_reader.h"

namespace steelyard::platform {

// An HTTP message within a call, after the first.
struct FollowUp {
  std::string method = "GET";
  std::string url;  // absolute, or from the root of the first message's host: "/v2/x/status/1"
  std::string accept = "application/json";
  std::string body;
  base::Nanos after = 0;  // waited before it is sent
  // The answer has come whole, and its times stand; this asks the platform for its own account. It
  // may fail without harm.
  bool aside = false;
};

struct CallStep {
  enum class Kind : std::uint8_t {
    kAnswer,  // what is at hand is the answer itself
    kFollow,  // send `next`
    kEnd,     // all has been said
    kFail,    // the platform says that it failed, in `words`
  };
  Kind kind = Kind::kAnswer;
  FollowUp next;
  std::vector<std::string> events;  // that what is at hand says, as the dialect's reader reads them
  std::string words;
  std::optional<Usage> usage;  // told beside the answer
  ServerTimes times;
};

class Call {
 public:
  Call() = default;
  virtual ~Call() = default;
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;

  // Another request begins.
  virtual void reset() = 0;
  // Whether an answer of this status is one to go on from; others are refusals.
  [[nodiscard]] virtual bool takes(int status) const = 0;
  // A whole answer that is no stream.
  virtual CallStep take(const wire::HttpHead& head, std::string_view body) = 0;
  // The stream has ended; its events have been read.
  virtual CallStep stream_ended() = 0;
};

}  // namespace steelyard::platform
