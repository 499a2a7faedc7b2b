#include "platform/credentials.h"

#include <unistd.h>

#include <filesystem>

#include "base/file.h"

namespace steelyard::platform {
namespace {

using testing::HasSubstr;
using testing::Not;
using Variables = std::map<std::string, std::string>;

// A home folder of its own, and an environment that knows nothing else.
class Credentials : public testing::Test {
 protected:
  void SetUp() override {
    const auto* test = testing::UnitTest::GetInstance()->current_test_info();
    home_ =
        testing::TempDir() + "steelyard-keys-" + test->name() + "-" + std::to_string(::getpid());
    std::filesystem::create_directories(home_);
    variables_ = {{"HOME", home_}};
  }
  void TearDown() override { std::filesystem::remove_all(home_); }

  std::string write(const std::string& path, const std::string& text) {
    EXPECT_TRUE(base::write_file(home_ + "/" + path, text));
    return home_ + "/" + path;
  }

  [[nodiscard]] wire::Environment environment() const {
    return [this](const std::string& name) {
      const auto found = variables_.find(name);
      return found == variables_.end() ? "" : found->second;
    };
  }

  template <typename T>
  std::string line(const base::Result<T>& result) {
    return result ? "none" : base::to_line(result.error());
  }

  // "id/secret/token region from" with the home folder left out.
  std::string aws() {
    const auto login = aws_login(environment());
    if (!login) {
      return without_home(line(login));
    }
    const AwsCredentials& keys = login->credentials;
    return without_home(fmt::format("{}/{}/{} {} {}", keys.access_key_id,
                                    keys.secret_access_key.reveal(), keys.session_token.reveal(),
                                    login->region, login->from));
  }

  [[nodiscard]] std::string without_home(std::string text) const {
    for (std::size_t at = text.find(home_); at != std::string::npos; at = text.find(home_)) {
      text.replace(at, home_.size(), "~");
    }
    return text;
  }

  std::string home_;
  Variables variables_;
};

constexpr const char* kAwsKeys =
    "[default]\n"
    "aws_access_key_id = FILE\n"
    "aws_secret_access_key = SECRET\n"
    "[other]\n"
    "aws_access_key_id = OTHER\n"
    "aws_secret_access_key = SECRET\n"
    "aws_session_token = TOKEN\n";

TEST_F(Credentials, aws_from_the_environment_before_any_file) {
  write(".aws/credentials", kAwsKeys);
  variables_["AWS_ACCESS_KEY_ID"] = "ENV";
  variables_["AWS_SECRET_ACCESS_KEY"] = "S";
  EXPECT_EQ(aws(), "ENV/S/  AWS_ACCESS_KEY_ID");
  variables_["AWS_SESSION_TOKEN"] = "T";
  variables_["AWS_DEFAULT_REGION"] = "eu-west-1";
  EXPECT_EQ(aws(), "ENV/S/T eu-west-1 AWS_ACCESS_KEY_ID");
  variables_["AWS_REGION"] = "us-west-2";
  EXPECT_EQ(aws(), "ENV/S/T us-west-2 AWS_ACCESS_KEY_ID");
}

TEST_F(Credentials, aws_of_a_profile) {
  write(".aws/credentials", kAwsKeys);
  write(".aws/config", "[default]\nregion = eu-central-1\n[profile other]\nregion = cn-north-1\n");
  EXPECT_EQ(aws(), "FILE/SECRET/ eu-central-1 ~/.aws/credentials:2");
  variables_["AWS_PROFILE"] = "other";
  EXPECT_EQ(aws(), "OTHER/SECRET/TOKEN cn-north-1 ~/.aws/credentials:5");
  variables_["AWS_REGION"] = "us-east-1";
  EXPECT_EQ(aws(), "OTHER/SECRET/TOKEN us-east-1 ~/.aws/credentials:5");
}

TEST_F(Credentials, aws_files_of_other_names_and_keys_in_the_config) {
  variables_["AWS_CONFIG_FILE"] =
      write("conf", "[profile x]\naws_access_key_id=A\naws_secret_access_key=B\nregion=r\n");
  variables_["AWS_SHARED_CREDENTIALS_FILE"] = home_ + "/absent";
  variables_["AWS_PROFILE"] = "x";
  EXPECT_EQ(aws(), "A/B/ r ~/conf:2");
}

TEST_F(Credentials, aws_that_is_nowhere_says_where_was_looked) {
  const std::string hint =
      " (set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY; `aws configure export-credentials "
      "--format env` prints them for any login)";
  EXPECT_EQ(aws(),
            "no keys of AWS: AWS_ACCESS_KEY_ID is not set, ~/.aws/credentials is not there, "
            "~/.aws/config is not there" +
                hint);
  write(".aws/credentials", kAwsKeys);
  write(".aws/config", "[profile x]\nregion = r\n");
  variables_["AWS_PROFILE"] = "x";
  EXPECT_EQ(aws(),
            "no keys of AWS: AWS_ACCESS_KEY_ID is not set, ~/.aws/credentials has no profile x, "
            "the profile x of ~/.aws/config has no keys" +
                hint);
  variables_.erase("HOME");
  EXPECT_EQ(
      aws(),
      "no keys of AWS: AWS_ACCESS_KEY_ID is not set, HOME is not set, HOME is not set" + hint);
}

TEST_F(Credentials, aws_ways_that_are_not_ours_are_named) {
  for (const std::string way : {"credential_process", "sso_session", "sso_start_url", "role_arn",
                                "web_identity_token_file"}) {
    write(".aws/config", "[default]\nregion = r\n" + way + " = SECRET\n");
    const std::string complaint = aws();
    EXPECT_THAT(complaint, testing::StartsWith("~/.aws/config:3: " + way +
                                               " is a way to get keys that is not supported here"));
    EXPECT_THAT(complaint, Not(HasSubstr("= SECRET")));
  }
}

TEST_F(Credentials, half_of_a_key_is_refused) {
  variables_["AWS_ACCESS_KEY_ID"] = "ENV";
  EXPECT_EQ(
      aws(),
      "AWS_ACCESS_KEY_ID: AWS_SECRET_ACCESS_KEY is not set, and AWS_ACCESS_KEY_ID is (both or "
      "neither)");
  variables_.erase("AWS_ACCESS_KEY_ID");
  write(".aws/credentials", "[default]\n\naws_secret_access_key = SECRET\n");
  EXPECT_EQ(
      aws(),
      "~/.aws/credentials:3: aws_access_key_id is not set, and aws_secret_access_key is (both "
      "or neither)");
}

TEST_F(Credentials, a_file_that_is_no_ini_file_is_refused_at_its_line) {
  write(".aws/credentials", "[default]\nSECRET\n");
  EXPECT_THAT(aws(), testing::StartsWith("~/.aws/credentials:2: neither a section nor a key"));
  EXPECT_THAT(aws(), Not(HasSubstr("SECRET")));
}

TEST_F(Credentials, google_from_the_named_file_and_from_gclouds_own) {
  const std::string user =
      R"({"type":"authorized_user","client_id":"c","client_secret":"s","refresh_token":"r"})";
  write(".config/gcloud/application_default_credentials.json", user);
  EXPECT_EQ(google_credentials(environment())->where,
            home_ + "/.config/gcloud/application_default_credentials.json");
  variables_["CLOUDSDK_CONFIG"] = home_ + "/elsewhere";
  write("elsewhere/application_default_credentials.json", user);
  EXPECT_EQ(google_credentials(environment())->where,
            home_ + "/elsewhere/application_default_credentials.json");
  variables_["GOOGLE_APPLICATION_CREDENTIALS"] = write("key.json", "{\n\"type\": 7}");
  EXPECT_THAT(without_home(line(google_credentials(environment()))),
              testing::StartsWith("GOOGLE_APPLICATION_CREDENTIALS: ~/key.json:2: type is no text"));
  variables_["GOOGLE_APPLICATION_CREDENTIALS"] = home_ + "/absent.json";
  EXPECT_THAT(without_home(line(google_credentials(environment()))),
              HasSubstr("~/absent.json: cannot read: No such file"));
}

TEST_F(Credentials, google_that_is_nowhere_says_where_was_looked) {
  EXPECT_EQ(without_home(line(google_credentials(environment()))),
            "no credentials of Google Cloud: GOOGLE_APPLICATION_CREDENTIALS is not set, "
            "~/.config/gcloud/application_default_credentials.json is not there (name a service "
            "account's key file by GOOGLE_APPLICATION_CREDENTIALS, or run `gcloud auth "
            "application-default login`)");
}

TEST_F(Credentials, tencent) {
  EXPECT_THAT(without_home(line(tencent_credentials(environment()))),
              testing::StartsWith("no keys of Tencent Cloud: TENCENTCLOUD_SECRET_ID is not set, "
                                  "~/.tencentcloud/credentials is not there, "
                                  "/etc/tencentcloud/credentials "));
  write(".tencentcloud/credentials", "[default]\nsecret_id = F\nsecret_key = S\ntoken = T\n");
  EXPECT_EQ(tencent_credentials(environment())->secret_id, "F");
  EXPECT_EQ(tencent_credentials(environment())->token.reveal(), "T");
  variables_["TENCENTCLOUD_SECRET_ID"] = "E";
  variables_["TENCENTCLOUD_SECRET_KEY"] = "K";
  variables_["TENCENTCLOUD_SECURITY_TOKEN"] = "terraform";
  EXPECT_EQ(tencent_credentials(environment())->secret_id, "E");
  EXPECT_EQ(tencent_credentials(environment())->secret_key.reveal(), "K");
  EXPECT_EQ(tencent_credentials(environment())->token.reveal(), "terraform");
  variables_["TENCENTCLOUD_TOKEN"] = "tccli";
  EXPECT_EQ(tencent_credentials(environment())->token.reveal(), "tccli");
}

TEST_F(Credentials, huawei) {
  write(".huaweicloud/credentials", "[global]\nak = G\nsk = S\n");
  EXPECT_EQ(
      without_home(line(huawei_credentials(environment()))),
      "no keys of Huawei Cloud: HUAWEICLOUD_SDK_AK is not set, ~/.huaweicloud/credentials has "
      "no [basic] (set HUAWEICLOUD_SDK_AK and HUAWEICLOUD_SDK_SK)");
  variables_["HUAWEICLOUD_SDK_CREDENTIALS_FILE"] =
      write("keys", "[basic]\nak = F\nsk = S\nsecurity_token = T\n");
  EXPECT_EQ(huawei_credentials(environment())->access_key, "F");
  EXPECT_EQ(huawei_credentials(environment())->security_token.reveal(), "T");
  variables_["HUAWEICLOUD_SDK_AK"] = "E";
  EXPECT_THAT(line(huawei_credentials(environment())),
              HasSubstr("HUAWEICLOUD_SDK_SK is not set, and HUAWEICLOUD_SDK_AK is"));
  variables_["HUAWEICLOUD_SDK_SK"] = "K";
  EXPECT_EQ(huawei_credentials(environment())->access_key, "E");
  EXPECT_TRUE(huawei_credentials(environment())->security_token.empty());
}

TEST_F(Credentials, eas) {
  EXPECT_THAT(line(eas_token(environment())), HasSubstr("EAS_SERVICE_TOKEN is not set"));
  variables_["EAS_SERVICE_TOKEN"] = " T\n";
  EXPECT_EQ(eas_token(environment())->reveal(), "T");
}

}  // namespace
}  // namespace steelyard::platform
