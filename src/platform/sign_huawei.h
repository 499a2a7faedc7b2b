// SDK-HMAC-SHA256, by which Huawei Cloud's API gateway (ModelArts' AK/SK authentication) and its
// own SDKs sign. Source: Huawei Cloud API Gateway, "Request signing", and huaweicloud-sdk-go-v3,
// whose vectors it is checked against.
#pragma once

#include <string>

#include "base/clock.h"
#include "base/secret.h"
#include "platform/canonical_request.h"

namespace steelyard::platform {

struct HuaweiCredentials {
  std::string access_key;
  base::Secret secret_key;
  base::Secret security_token;  // of temporary credentials; empty for others
};

// Signs the requests of one thread.
class HuaweiSigner {
 public:
  explicit HuaweiSigner(HuaweiCredentials credentials);

  // The fields to add to the request. Of the fields given those whose name has a "_" are not
  // signed: gateways drop them. `wall`: now, nanoseconds since 1970; the gateway takes 15 minutes
  // of difference, and bodies of at most 12 MB.
  [[nodiscard]] wire::Fields sign(const SignedParts& parts, base::Nanos wall);

  // What was hashed and what was signed last.
  [[nodiscard]] const std::string& canonical_request() const { return canonical_; }
  [[nodiscard]] const std::string& string_to_sign() const { return to_sign_; }

 private:
  HuaweiCredentials credentials_;
  std::string canonical_;
  std::string to_sign_;
};

}  // namespace steelyard::platform
