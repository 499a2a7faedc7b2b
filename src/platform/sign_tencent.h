// TC3-HMAC-SHA256, which Tencent Cloud's API (of TI-ONE among others) asks for. Source: Tencent
// Cloud API 3.0, "Signature v3"; checked against the example given there.
#pragma once

#include <string>

#include "base/clock.h"
#include "base/secret.h"
#include "platform/canonical_request.h"

namespace steelyard::platform {

struct TencentCredentials {
  std::string secret_id;
  base::Secret secret_key;
  base::Secret token;  // of temporary credentials; empty for others
};

// Signs the requests of one thread: the key derived for the day is kept.
class TencentSigner {
 public:
  // `service`: the host's first name, "tione".
  TencentSigner(TencentCredentials credentials, std::string service);

  // The fields to add to the request, which has "content-type" and "host" to be signed at least.
  // `wall`: now, nanoseconds since 1970; the server takes 5 minutes of difference.
  [[nodiscard]] wire::Fields sign(const SignedParts& parts, base::Nanos wall);

  // What was hashed and what was signed last.
  [[nodiscard]] const std::string& canonical_request() const { return canonical_; }
  [[nodiscard]] const std::string& string_to_sign() const { return to_sign_; }

 private:
  const std::string& key_of(const std::string& date);

  TencentCredentials credentials_;
  std::string service_;
  std::string canonical_;
  std::string to_sign_;
  std::string key_date_;
  std::string key_;
};

}  // namespace steelyard::platform
