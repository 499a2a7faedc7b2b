// The signature that Alibaba PAI-EAS takes in place of a service's bare token. Source: the
// eas-prediction SDK 0.36, predict_client.py.
#pragma once

#include "base/clock.h"
#include "base/secret.h"
#include "platform/canonical_request.h"

namespace steelyard::platform {

// The fields to add to the request: Content-MD5 (hexadecimal, unlike RFC 1864's), Date and
// Authorization. Of the fields given only "content-type" is signed, of the target only the path.
[[nodiscard]] wire::Fields eas_signature(const base::Secret& token, const SignedParts& parts,
                                         base::Nanos wall);

}  // namespace steelyard::platform
