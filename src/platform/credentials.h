// Where each cloud's own tools look for keys: the environment first, then the files in the home
// folder. Nothing is asked for over the network. An error says where was looked and never shows a
// value.
#pragma once

#include <string>

#include "base/error.h"
#include "base/secret.h"
#include "platform/google_token.h"
#include "platform/sign_aws.h"
#include "platform/sign_huawei.h"
#include "platform/sign_tencent.h"
#include "wire/proxy.h"

namespace steelyard::platform {

struct AwsLogin {
  AwsCredentials credentials;
  std::string region;  // "" where none is named
  std::string from;    // "AWS_ACCESS_KEY_ID" or "~/.aws/credentials:3", by what is written out
};
// AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and AWS_SESSION_TOKEN; else the profile of AWS_PROFILE
// (or "default") in AWS_SHARED_CREDENTIALS_FILE (or ~/.aws/credentials), then in AWS_CONFIG_FILE
// (or
// ~/.aws/config). The region: AWS_REGION, AWS_DEFAULT_REGION, the profile's.
[[nodiscard]] base::Result<AwsLogin> aws_login(const wire::Environment& environment);

// The file of GOOGLE_APPLICATION_CREDENTIALS; else application_default_credentials.json in
// CLOUDSDK_CONFIG (or ~/.config/gcloud).
[[nodiscard]] base::Result<GoogleCredentials> google_credentials(
    const wire::Environment& environment);

// TENCENTCLOUD_SECRET_ID and TENCENTCLOUD_SECRET_KEY, with TENCENTCLOUD_TOKEN (of tccli) or
// TENCENTCLOUD_SECURITY_TOKEN (of Terraform); else [default] of ~/.tencentcloud/credentials or
// /etc/tencentcloud/credentials.
[[nodiscard]] base::Result<TencentCredentials> tencent_credentials(
    const wire::Environment& environment);

// HUAWEICLOUD_SDK_AK, HUAWEICLOUD_SDK_SK and HUAWEICLOUD_SDK_SECURITY_TOKEN; else [basic] of
// HUAWEICLOUD_SDK_CREDENTIALS_FILE or ~/.huaweicloud/credentials.
[[nodiscard]] base::Result<HuaweiCredentials> huawei_credentials(
    const wire::Environment& environment);

// EAS_SERVICE_TOKEN.
[[nodiscard]] base::Result<base::Secret> eas_token(const wire::Environment& environment);

}  // namespace steelyard::platform
