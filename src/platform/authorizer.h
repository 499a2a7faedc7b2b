// The header fields by which a request says who sends it, in any scheme.
#pragma once

#include <atomic>
#include <cstdint>
#include <variant>
#include <vector>

#include "base/clock.h"
#include "base/error.h"
#include "base/secret.h"
#include "platform/auth.h"
#include "platform/canonical_request.h"

namespace steelyard::platform {

// Of one thread: a signer keeps what it derived for the day.
class Authorizer {
 public:
  explicit Authorizer(const Auth& auth);

  // What must be had before anything is sent: Google's token. Blocks; `stop` becoming true ends
  // the wait.
  [[nodiscard]] base::Status begin(const std::atomic<bool>* stop = nullptr);

  // Whether `fields` are of one request and of a moment; else all requests have the same.
  [[nodiscard]] bool each_request() const;
  // Changes when what was made before is no longer the newest: a token has been renewed.
  [[nodiscard]] std::uint64_t edition() const;
  // What is to be added to the request. `parts.fields` are signed where the scheme signs any;
  // `wall`: now, nanoseconds since 1970. Clouds take minutes of difference.
  [[nodiscard]] wire::Fields fields(const SignedParts& parts, base::Nanos wall);

  // What must never be shown, whoever repeats it.
  [[nodiscard]] std::vector<base::Secret> secrets() const;

 private:
  using Signer = std::variant<std::monostate, AwsSigner, TencentSigner, HuaweiSigner>;

  Auth auth_;
  Signer signer_;
};

}  // namespace steelyard::platform
