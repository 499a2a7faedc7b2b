// A signature from the server's side: it is made again from what came, and compared. For emulators,
// which take what a real client signs and refuse what the platform would.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "platform/sign_aws.h"
#include "platform/sign_huawei.h"
#include "platform/sign_tencent.h"
#include "wire/http_reader.h"

namespace steelyard::platform {

enum class SignatureFault {
  kMissing,  // no Authorization, or one of another form
  kSkewed,   // signed for a moment too far from now
  kKey,      // by a key that is not this one
  kScope,    // AWS, Tencent: for another day, region or service
  kWrong,    // the signature is not that of this request
};

// Absent where the signature is right. `head` is the request's, its target as on the wire; `wall`:
// now, nanoseconds since 1970. The signer's canonical_request() is then the server's own.
[[nodiscard]] std::optional<SignatureFault> signature_fault(AwsSigner& signer,
                                                            const wire::HttpHead& head,
                                                            std::string_view body,
                                                            base::Nanos wall);
[[nodiscard]] std::optional<SignatureFault> signature_fault(TencentSigner& signer,
                                                            const wire::HttpHead& head,
                                                            std::string_view body,
                                                            base::Nanos wall);
[[nodiscard]] std::optional<SignatureFault> signature_fault(HuaweiSigner& signer,
                                                            const wire::HttpHead& head,
                                                            std::string_view body,
                                                            base::Nanos wall);

}  // namespace steelyard::platform
