#include "platform/sign_tencent.h"

#include <fmt/format.h>

#include <utility>

#include "base/digest.h"
#include "base/encoding.h"

namespace steelyard::platform {
namespace {

constexpr std::string_view kAlgorithm = "TC3-HMAC-SHA256";
constexpr std::string_view kEnd = "tc3_request";
constexpr std::size_t kDate = 10;  // of "2019-02-25T16:44:25Z"

}  // namespace

TencentSigner::TencentSigner(TencentCredentials credentials, std::string service)
    : credentials_(std::move(credentials)), service_(std::move(service)) {}

wire::Fields TencentSigner::sign(const SignedParts& parts, base::Nanos wall) {
  const std::string date = base::iso8601_utc(wall).substr(0, kDate);
  const std::string seconds = std::to_string(wall / base::kSecond);
  const std::string scope = fmt::format("{}/{}/{}", date, service_, kEnd);
  const CanonicalFields fields = canonical_fields(parts.fields, {}, FieldValues::kLowerCase);
  const Target target = split_target(parts.target);
  canonical_ = fmt::format("{}\n{}\n{}\n{}\n{}\n{}", parts.method, target.path,
                           parts.method == "POST" ? std::string_view() : target.query, fields.lines,
                           fields.names, base::hex(base::sha256(parts.body)));
  to_sign_ = fmt::format("{}\n{}\n{}\n{}", kAlgorithm, seconds, scope,
                         base::hex(base::sha256(canonical_)));
  wire::Fields added = {
      {"X-TC-Timestamp", seconds},
      {"Authorization", fmt::format("{} Credential={}/{}, SignedHeaders={}, Signature={}",
                                    kAlgorithm, credentials_.secret_id, scope, fields.names,
                                    base::hex(base::hmac_sha256(key_of(date), to_sign_)))}};
  if (!credentials_.token.empty()) {
    added.emplace_back("X-TC-Token", credentials_.token.reveal());
  }
  return added;
}

const std::string& TencentSigner::key_of(const std::string& date) {
  if (key_date_ != date) {
    key_date_ = date;
    key_ = base::hmac_sha256("TC3" + credentials_.secret_key.reveal(), date);
    key_ = base::hmac_sha256(base::hmac_sha256(key_, service_), kEnd);
  }
  return key_;
}

}  // namespace steelyard::platform
