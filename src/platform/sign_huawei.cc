#include "platform/sign_huawei.h"

#include <fmt/format.h>

#include <utility>

#include "base/digest.h"
#include "base/encoding.h"

namespace steelyard::platform {
namespace {

constexpr std::string_view kAlgorithm = "SDK-HMAC-SHA256";

std::string canonical_path(std::string_view path) {
  const std::string encoded = base::percent_encode(base::percent_decode(path), "/");
  return encoded.ends_with('/') ? encoded : encoded + "/";
}

wire::Fields without_underscores(std::span<const wire::Fields::value_type> fields) {
  wire::Fields kept;
  for (const auto& field : fields) {
    if (field.first.find('_') == std::string::npos) {
      kept.push_back(field);
    }
  }
  return kept;
}

}  // namespace

HuaweiSigner::HuaweiSigner(HuaweiCredentials credentials) : credentials_(std::move(credentials)) {}

wire::Fields HuaweiSigner::sign(const SignedParts& parts, base::Nanos wall) {
  const std::string time = base::compact_utc(wall);
  wire::Fields added = {{"X-Sdk-Date", time}};
  if (!credentials_.security_token.empty()) {
    added.emplace_back("X-Security-Token", credentials_.security_token.reveal());
  }
  const CanonicalFields fields =
      canonical_fields(without_underscores(parts.fields), added, FieldValues::kTrimmed);
  const Target target = split_target(parts.target);
  canonical_ = fmt::format("{}\n{}\n{}\n{}\n{}\n{}", parts.method, canonical_path(target.path),
                           canonical_query(target.query, QueryOrder::kDecoded), fields.lines,
                           fields.names, base::hex(base::sha256(parts.body)));
  to_sign_ = fmt::format("{}\n{}\n{}", kAlgorithm, time, base::hex(base::sha256(canonical_)));
  added.emplace_back(
      "Authorization",
      fmt::format("{} Access={}, SignedHeaders={}, Signature={}", kAlgorithm,
                  credentials_.access_key, fields.names,
                  base::hex(base::hmac_sha256(credentials_.secret_key.reveal(), to_sign_))));
  return added;
}

}  // namespace steelyard::platform
