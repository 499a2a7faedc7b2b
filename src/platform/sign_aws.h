// AWS Signature Version 4, which SageMaker and Bedrock ask for. Source: AWS IAM user guide, "Create
// a signed AWS API request"; checked against the vectors of awslabs/aws-c-auth.
#pragma once

#include <chrono>
#include <string>

#include "base/clock.h"
#include "base/secret.h"
#include "platform/canonical_request.h"

namespace steelyard::platform {

struct AwsCredentials {
  std::string access_key_id;
  base::Secret secret_access_key;
  base::Secret session_token;  // of temporary credentials; empty for others
};

struct AwsScope {
  std::string region;   // "us-east-1"
  std::string service;  // "sagemaker", "bedrock"
  // S3 signs paths as they are. Others resolve dot segments first, and encode once more what stands
  // encoded on the wire: ":" in a model's id goes out as "%3A" and is signed as "%253A".
  bool normal_path = true;
  bool sign_token = true;   // false: the token is added after signing
  bool hash_field = false;  // X-Amz-Content-Sha256, which S3 asks for
};

// Signs the requests of one thread: the key derived for the day is kept.
class AwsSigner {
 public:
  AwsSigner(AwsCredentials credentials, AwsScope scope);

  // The fields to add to the request. `wall`: now, nanoseconds since 1970; a server takes 5 minutes
  // of difference.
  [[nodiscard]] wire::Fields sign(const SignedParts& parts, base::Nanos wall);

  // The query, with what was in it, of a URL that carries its signature for `valid`.
  [[nodiscard]] std::string signed_query(const SignedParts& parts, std::chrono::seconds valid,
                                         base::Nanos wall);

  // What was hashed and what was signed last: a server that refuses the signature shows its own.
  [[nodiscard]] const std::string& canonical_request() const { return canonical_; }
  [[nodiscard]] const std::string& string_to_sign() const { return to_sign_; }

 private:
  // "20150830/us-east-1/service/aws4_request"
  [[nodiscard]] std::string scope_of(std::string_view time) const;
  std::string signature(const SignedParts& parts, std::string_view query,
                        const CanonicalFields& fields, std::string_view time);
  const std::string& key_of(std::string_view date);

  AwsCredentials credentials_;
  AwsScope scope_;
  std::string canonical_;
  std::string to_sign_;
  std::string key_date_;
  std::string key_;
};

}  // namespace steelyard::platform
