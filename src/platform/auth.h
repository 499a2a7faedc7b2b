// How a request says who sends it: a scheme, and what that needs. Each platform says which schemes
// it takes (platforms.h), find_auth.h gets the keys, authorizer.h writes the header fields.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <variant>

#include "base/error.h"
#include "base/secret.h"
#include "platform/sign_aws.h"
#include "platform/sign_huawei.h"
#include "platform/sign_tencent.h"

namespace steelyard::platform {

enum class Scheme : std::uint8_t {
  kNone,
  kBearer,    // Authorization: Bearer KEY
  kToken,     // Authorization: KEY
  kHeader,    // NAME: KEY
  kApiKey,    // api-key: KEY (Azure OpenAI)
  kAppCode,   // X-Apig-AppCode: KEY (Huawei Cloud's API gateway)
  kIamToken,  // X-Auth-Token: KEY (Huawei Cloud)
  kEasHmac,   // sign_eas.h
  kSdkHmac,   // sign_huawei.h
  kSigV4,     // sign_aws.h
  kTc3,       // sign_tencent.h
  kGoogle,    // Authorization: Bearer TOKEN, a token of google_token.h
};

// "bearer", "sigv4", ...
[[nodiscard]] std::string_view name_of(Scheme scheme);
// "none, bearer, token, header:NAME, ..."
[[nodiscard]] std::string scheme_names(std::span<const Scheme> schemes);
[[nodiscard]] std::span<const Scheme> all_schemes();
// Whether it is one key, given as it is: else a cloud's keys sign, or a token is asked for.
[[nodiscard]] bool takes_key(Scheme scheme);

// As it is written: "bearer", "header:X-Key", "sigv4:us-east-1", "sigv4:us-east-1/bedrock",
// "tc3:tione".
struct SchemeText {
  Scheme scheme = Scheme::kNone;
  std::string detail;  // what stands behind the colon
};
// `where` stands in the error.
[[nodiscard]] base::Result<SchemeText> parse_scheme(const std::string& where,
                                                    std::string_view text);

// A header field that is the same in every request.
struct KeyField {
  std::string name;
  std::string prefix;  // "Bearer "
  base::Secret key;
};
struct EasToken {
  base::Secret token;
};
struct AwsAuth {
  AwsCredentials credentials;
  AwsScope scope;
};
struct TencentAuth {
  TencentCredentials credentials;
  std::string service;
};
class TokenKeeper;
using Auth = std::variant<std::monostate, KeyField, EasToken, AwsAuth, TencentAuth,
                          HuaweiCredentials, std::shared_ptr<TokenKeeper>>;

// "Authorization: Bearer KEY"; nothing for an empty key.
[[nodiscard]] Auth bearer(base::Secret key);

}  // namespace steelyard::platform
