#include "platform/find_auth.h"

#include <unistd.h>

#include <filesystem>

#include "base/file.h"

namespace steelyard::platform {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;
using Variables = std::map<std::string, std::string>;

wire::Environment environment(Variables variables) {
  return [variables = std::move(variables)](const std::string& name) {
    const auto found = variables.find(name);
    return found == variables.end() ? "" : found->second;
  };
}

// What `auth` is, in words; secrets shown, as they are made up.
std::string words_of(const Auth& auth) {
  if (const auto* key = std::get_if<KeyField>(&auth)) {
    return key->name + ": " + key->prefix + key->key.reveal();
  }
  if (const auto* eas = std::get_if<EasToken>(&auth)) {
    return "eas " + eas->token.reveal();
  }
  if (const auto* aws = std::get_if<AwsAuth>(&auth)) {
    return fmt::format("aws {} {}/{}", aws->credentials.access_key_id, aws->scope.region,
                       aws->scope.service);
  }
  if (const auto* tencent = std::get_if<TencentAuth>(&auth)) {
    return "tencent " + tencent->credentials.secret_id + " " + tencent->service;
  }
  if (const auto* huawei = std::get_if<HuaweiCredentials>(&auth)) {
    return "huawei " + huawei->access_key;
  }
  return std::holds_alternative<std::monostate>(auth) ? "nothing" : "google";
}

struct Wanted {
  std::string scheme{};
  std::string key{};
  Variables variables{};
  std::string url = "https://host";
};

std::string found(std::string_view platform, const Wanted& wanted) {
  AuthWish wish;
  wish.where = "--auth";
  wish.scheme = wanted.scheme;
  wish.key_where = "--api-key";
  wish.key = base::Secret(wanted.key);
  wish.key_hint = "--api-key";
  wish.url = wire::parse_url("", wanted.url).value();
  const auto auth =
      find_auth(*platform_named("", platform).value(), wish, environment(wanted.variables));
  return auth ? words_of(*auth) : "error: " + base::to_line(auth.error());
}

const Variables kAws = {{"AWS_ACCESS_KEY_ID", "AKID"}, {"AWS_SECRET_ACCESS_KEY", "s"}};

TEST(FindAuth, each_platform_has_its_own_way) {
  EXPECT_EQ(found("openai", {}), "nothing");
  EXPECT_EQ(found("openai", {.key = "k"}), "Authorization: Bearer k");
  EXPECT_EQ(found("vllm", {.variables = {{"OPENAI_API_KEY", "k"}}}), "Authorization: Bearer k");
  EXPECT_EQ(found("together", {.variables = {{"TOGETHER_API_KEY", "k"}}}),
            "Authorization: Bearer k");
  EXPECT_EQ(found("azure-openai", {.key = "k"}), "api-key: k");
  EXPECT_EQ(found("pai-eas", {.variables = {{"EAS_SERVICE_TOKEN", "t"}}}), "Authorization: t");
  EXPECT_EQ(found("ti-one", {}), "nothing") << "a service may ask for no token";
  EXPECT_EQ(found("ti-one", {.key = "t"}), "Authorization: t");
  EXPECT_EQ(found("modelarts",
                  {.variables = {{"HUAWEICLOUD_SDK_AK", "ak"}, {"HUAWEICLOUD_SDK_SK", "sk"}}}),
            "huawei ak");
  EXPECT_EQ(found("modelarts", {.key = "code"}), "X-Apig-AppCode: code")
      << "a key goes by the first scheme that takes one";
  EXPECT_EQ(found("sagemaker",
                  {.variables = kAws, .url = "https://runtime.sagemaker.eu-west-1.amazonaws.com"}),
            "aws AKID eu-west-1/sagemaker");
}

TEST(FindAuth, a_scheme_can_be_named) {
  EXPECT_EQ(found("pai-eas", {.scheme = "eas-hmac", .key = "t"}), "eas t");
  EXPECT_EQ(found("pai-eas", {.scheme = "bearer", .key = "t"}), "Authorization: Bearer t");
  EXPECT_EQ(found("openai", {.scheme = "header:X-Key", .key = "k"}), "X-Key: k");
  EXPECT_EQ(found("modelarts", {.scheme = "IAM-Token", .key = "t"}), "X-Auth-Token: t");
  EXPECT_EQ(found("openai", {.scheme = "none", .key = "k"}), "nothing");
  EXPECT_EQ(found("sagemaker", {.scheme = "none"}), "nothing");
  EXPECT_EQ(found("bedrock",
                  {.variables = kAws, .url = "https://bedrock-runtime.us-west-2.amazonaws.com"}),
            "aws AKID us-west-2/bedrock");
  EXPECT_EQ(found("openai", {.scheme = "sigv4:us-east-2/execute-api", .variables = kAws}),
            "aws AKID us-east-2/execute-api");
  const Variables tencent = {{"TENCENTCLOUD_SECRET_ID", "id"}, {"TENCENTCLOUD_SECRET_KEY", "s"}};
  EXPECT_EQ(
      found("openai",
            {.scheme = "tc3", .variables = tencent, .url = "https://tione.tencentcloudapi.com"}),
      "tencent id tione");
}

TEST(FindAuth, the_region_of_aws_comes_from_the_flag_the_host_or_the_login) {
  Variables variables = kAws;
  EXPECT_THAT(found("sagemaker", {.variables = variables}), HasSubstr("neither the host nor"));
  variables["AWS_REGION"] = "ap-south-1";
  EXPECT_EQ(found("sagemaker", {.variables = variables}), "aws AKID ap-south-1/sagemaker");
  const std::string vpc = "https://vpce-0a-b.runtime.sagemaker.us-west-2.vpce.amazonaws.com";
  EXPECT_EQ(found("sagemaker", {.variables = variables, .url = vpc}),
            "aws AKID us-west-2/sagemaker");
  const std::string china = "https://runtime.sagemaker.cn-north-1.amazonaws.com.cn";
  EXPECT_EQ(found("sagemaker", {.variables = variables, .url = china}),
            "aws AKID cn-north-1/sagemaker");
  EXPECT_EQ(
      found("sagemaker", {.scheme = "sigv4:eu-north-1", .variables = variables, .url = china}),
      "aws AKID eu-north-1/sagemaker");
}

TEST(FindAuth, what_cannot_be_is_one_line_without_a_secret) {
  EXPECT_EQ(found("sagemaker", {.scheme = "tc3"}),
            "error: --auth: Amazon SageMaker does not take tc3 (sigv4, none)");
  EXPECT_THAT(found("sagemaker", {.scheme = "sigv5"}),
              StartsWith("error: --auth: 'sigv5' is not known (none, bearer, token, header:NAME"));
  EXPECT_EQ(found("openai", {.scheme = "header"}),
            "error: --auth: 'header' is no way to say it (header:NAME)");
  EXPECT_EQ(found("openai", {.scheme = "header:A B"}),
            "error: --auth: 'header:A B' is no way to say it (header:NAME)");
  EXPECT_EQ(found("openai", {.scheme = "bearer:x"}),
            "error: --auth: 'bearer:x' is no way to say it (bearer)");
  EXPECT_EQ(found("together", {}),
            "error: no key for Together AI: TOGETHER_API_KEY is not set (--api-key)");
  EXPECT_EQ(found("openai", {.scheme = "bearer"}),
            "error: no key for OpenAI-compatible: OPENAI_API_KEY is not set (--api-key)");
  EXPECT_THAT(found("sagemaker", {}), StartsWith("error: no keys of AWS: AWS_ACCESS_KEY_ID"));
  EXPECT_THAT(found("modelarts", {}), StartsWith("error: no keys of Huawei Cloud: "));
  EXPECT_THAT(found("vertex", {}), StartsWith("error: no credentials of Google Cloud: "));
  EXPECT_EQ(found("sagemaker", {.key = "sk-secret", .variables = kAws}),
            "error: --api-key: sigv4 takes no such key (leave it out, or name another scheme)");
  for (const auto& line :
       {found("openai", {.key = "sk-secret\r\nX: y"}),
        found("together", {.variables = {{"TOGETHER_API_KEY", "sk-secret\n"}}})}) {
    EXPECT_THAT(line, HasSubstr("control character"));
    EXPECT_THAT(line, Not(HasSubstr("sk-secret")));
  }
}

TEST(FindAuth, tokens_of_google_are_asked_for_over_tls_alone) {
  const std::string path = testing::TempDir() + "steelyard-google-" + std::to_string(::getpid());
  const auto with_uri = [&](const std::string& uri) {
    EXPECT_TRUE(base::write_file(
        path, R"({"type":"authorized_user","client_id":"i","client_secret":"very-secret",)"
              R"("refresh_token":"very-secret","token_uri":")" +
                  uri + "\"}"));
    return found("vertex", {.variables = {{"GOOGLE_APPLICATION_CREDENTIALS", path}}});
  };
  EXPECT_EQ(with_uri("https://oauth2.googleapis.com/token"), "google");
  EXPECT_EQ(with_uri("http://127.0.0.1:9/token"), "google");
  EXPECT_EQ(with_uri("http://evil.example/token"), "error: " + path +
                                                       ": token_uri is not https "
                                                       "(https://oauth2.googleapis.com/token)");
  EXPECT_THAT(with_uri("nowhere"), HasSubstr("'nowhere' is no http or https URL"));
  std::filesystem::remove(path);
}

TEST(FindAuth, every_platform_takes_a_scheme_and_names_it) {
  for (const Platform& platform : platforms()) {
    EXPECT_FALSE(platform.auth.schemes.empty()) << platform.name;
    EXPECT_EQ(parse_scheme("", name_of(platform.auth.schemes.front()))->scheme,
              platform.auth.schemes.front());
  }
}

}  // namespace
}  // namespace steelyard::platform
