#include "platform/sign_aws.h"

#include <fmt/format.h>

#include <utility>

#include "base/digest.h"
#include "base/encoding.h"

namespace steelyard::platform {
namespace {

constexpr std::string_view kAlgorithm = "AWS4-HMAC-SHA256";
constexpr std::string_view kTokenField = "X-Amz-Security-Token";
constexpr std::size_t kDate = 8;  // of "20150830T123600Z"

}  // namespace

AwsSigner::AwsSigner(AwsCredentials credentials, AwsScope scope)
    : credentials_(std::move(credentials)), scope_(std::move(scope)) {}

std::string AwsSigner::scope_of(std::string_view time) const {
  return fmt::format("{}/{}/{}/aws4_request", time.substr(0, kDate), scope_.region, scope_.service);
}

wire::Fields AwsSigner::sign(const SignedParts& parts, base::Nanos wall) {
  const std::string time = base::compact_utc(wall);
  const bool token = !credentials_.session_token.empty();
  wire::Fields added = {{"X-Amz-Date", time}};
  if (scope_.hash_field) {
    added.emplace_back("X-Amz-Content-Sha256", base::hex(base::sha256(parts.body)));
  }
  if (token && scope_.sign_token) {
    added.emplace_back(kTokenField, credentials_.session_token.reveal());
  }
  const CanonicalFields fields = canonical_fields(parts.fields, added, FieldValues::kOneSpace);
  const std::string query = canonical_query(split_target(parts.target).query, QueryOrder::kEncoded);
  added.emplace_back("Authorization",
                     fmt::format("{} Credential={}/{}, SignedHeaders={}, Signature={}", kAlgorithm,
                                 credentials_.access_key_id, scope_of(time), fields.names,
                                 signature(parts, query, fields, time)));
  if (token && !scope_.sign_token) {
    added.emplace_back(kTokenField, credentials_.session_token.reveal());
  }
  return added;
}

std::string AwsSigner::signed_query(const SignedParts& parts, std::chrono::seconds valid,
                                    base::Nanos wall) {
  const std::string time = base::compact_utc(wall);
  const CanonicalFields fields = canonical_fields(parts.fields, {}, FieldValues::kOneSpace);
  std::string query(split_target(parts.target).query);
  const auto add = [&](std::string_view name, std::string_view value) {
    query += fmt::format("{}{}={}", query.empty() ? "" : "&", name, base::percent_encode(value));
  };
  add("X-Amz-Algorithm", kAlgorithm);
  add("X-Amz-Credential", credentials_.access_key_id + "/" + scope_of(time));
  add("X-Amz-Date", time);
  add("X-Amz-Expires", std::to_string(valid.count()));
  add("X-Amz-SignedHeaders", fields.names);
  const std::string& token = credentials_.session_token.reveal();
  if (!token.empty() && scope_.sign_token) {
    add(kTokenField, token);
  }
  const std::string signed_by =
      signature(parts, canonical_query(query, QueryOrder::kEncoded), fields, time);
  if (!token.empty() && !scope_.sign_token) {
    add(kTokenField, token);
  }
  add("X-Amz-Signature", signed_by);
  return query;
}

std::string AwsSigner::signature(const SignedParts& parts, std::string_view query,
                                 const CanonicalFields& fields, std::string_view time) {
  const std::string_view path = split_target(parts.target).path;
  canonical_.clear();
  canonical_.append(parts.method).append("\n");
  canonical_.append(base::percent_encode(scope_.normal_path ? normal_path(path) : path, "/"));
  canonical_.append("\n").append(query).append("\n").append(fields.lines).append("\n");
  canonical_.append(fields.names).append("\n").append(base::hex(base::sha256(parts.body)));
  to_sign_ = fmt::format("{}\n{}\n{}\n{}", kAlgorithm, time, scope_of(time),
                         base::hex(base::sha256(canonical_)));
  return base::hex(base::hmac_sha256(key_of(time.substr(0, kDate)), to_sign_));
}

const std::string& AwsSigner::key_of(std::string_view date) {
  if (key_date_ != date) {
    key_date_ = date;
    key_ = base::hmac_sha256("AWS4" + credentials_.secret_access_key.reveal(), date);
    for (const std::string_view part :
         {std::string_view(scope_.region), std::string_view(scope_.service),
          std::string_view("aws4_request")}) {
      key_ = base::hmac_sha256(key_, part);
    }
  }
  return key_;
}

}  // namespace steelyard::platform
