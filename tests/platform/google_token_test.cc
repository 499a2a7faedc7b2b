#include "platform/google_token.h"

#include <cstdlib>
#include <nlohmann/json.hpp>

#include "base/encoding.h"
#include "base/file.h"
#include "base/json.h"
#include "base/text.h"

namespace steelyard::platform {
namespace {

using base::Json;
using testing::HasSubstr;
using testing::Not;

// RFC 7515, appendix A.2, in PEM: a key that everybody has.
constexpr const char* kRfcKey = R"(-----BEGIN PRIVATE KEY-----
MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQCh+BYK4uPJtGXO
jS1lYmM2K5J9vinh8CR3/BYlzJChNuOL2TSXxbbqY913EeZ8dCn5VrD7io8ImtxL
aYk8wTM/U+3QGbh3hCUv7JFP5IV3aVlL6kKA0ywPVb9ilE8TA5a8bpvfbr3SvaNn
juygxmj3AbONv/s4yDQs4v5tJ/reSlpIdJed1LnPmt7Ex1sFhSwsD174pcF1A5L5
ROjtZMEQxrZHYJqkeDrrnGya11UxMFBji4NmXG9veoKjlnAqH2QbgtPr8jkiGUkf
toaHLFcW9Qr4NY2ai50Xw0Byj3+H2JoY2PyrZ62EWQwuz3WTOTY8BwNNb2BvniHg
VFbK5emhAgMBAAECggEAEq5xpGnNCivDflJsRQBXHx1hdR1k6Ulwe2JZD50LpXyW
PEAeP88vLNO97IjlA7/GQ5sLKMgvfTeXZx9SE+7YwVol2NXOoAJe46sui395IW/G
O+pWJ1O0BkTGoVEn2bKVRUCgu+GjBVaYLU6f3l9kJfFNS3E0QbVdxzubSu3Mkqzj
kn439X0M/V51gfpRLI9JYanrC4D4qAdGcopV/0ZHHzQlBjudU2QvXt4ehNYTCBr6
XCLQUShb1juUO1ZdiYoFaFQT5Tw8bGUl/x/jTj3ccPDVZFD9pIuhLhBOneufuBiB
4cS98l2SR/RQyGWSeWjnczT0QU91p1DhOVRuOopznQKBgQDgHMQQ60imZV1URk0K
pLttoLhyt3SmqdEf/kgHePDdtzEafpAu+cS191R2JiuoF2yzWXnwFDcqGigp5BNr
0AHQfD8/Lk8l1Mk09jxxCfui5nYooNyac8YFjm3vItzVCVDnEd3BbVWG8qf6deqE
lMGAg+C2V0L4oNXnP7LZcPAZRwKBgQC5A8R+CZW2MvRTLLHzwZkUXV866cff7tx6
kqa0finGG0KgeqlaZPxgCZnFp7AeAcCMtiynVlJ7vMVgePsLq6XtON4tB5kP9jAP
rq3rbAOal78eUH5OcED6eNuCV8ixEu1eWcPNCS/l1OW1EnXUEoEHKl54Xrrz2uNw
kgMTP1FZ1wKBgAcCn1dwJKufzBWQxWQp1vsM5fggqPN1qGb5y0MAk3g7/Ls5bkUp
5u9SN0Ai3Ya6hNnvWJMb7sXQX6U/zyO2M/hTip7tUeh7CXgwo59dkpN75gJLVds2
9+DAncu3KXU4f2Fa+7bLNrur53k8KwPOq2bbuTG69QtV7Jr5MR0AHWKNAoGBAIf/
evpitUf+4JYbLpvNXWcY052Mpz22aR84mY3nh3F2LF2mjMJDpTg7FmuyPcVw6EcG
yoAe9fa65iNqCq+jdw6PVNGo2hxfjSiZ8IIzHdsPXI89//pMjZcQK9r+CCoRjaZj
OYiIDktVWZzmevJuv6WywUqd57LE3Zar3dLSIkx1AoGAIYd7DHOhrWvxkwPQsRM2
tOgrjbcrfvtQJipd+DlcxyVuuM9sQLdgjVk2oy26F0EmpScGLq2MowX7fhd/QJQ3
ydy5cY7YIBi87w93IKLEdfnbJtoOPLUW0ITrJReOgo1cq9SbsxYawBgfp/gh6A56
03k2+ZQwVK0JKSHuLFkuQ3U=
-----END PRIVATE KEY-----
)";

constexpr base::Nanos kWall = 1'767'323'045 * base::kSecond + 999;

Json service_account() {
  return {{"type", "service_account"},
          {"project_id", "p-1"},
          {"private_key_id", "k1"},
          {"private_key", kRfcKey},
          {"client_email", "steelyard@p-1.iam.gserviceaccount.com"},
          {"token_uri", "https://oauth2.googleapis.com/token"}};
}

base::Result<GoogleCredentials> parsed(const Json& json) {
  return parse_google_credentials("key.json", base::dump_json(json, 2));
}

std::string complaint(const std::string& text) {
  const auto credentials = parse_google_credentials("key.json", text);
  return credentials ? "none" : base::to_line(credentials.error());
}

TEST(GoogleToken, rs256_is_that_of_rfc_7515) {
  const auto token = rs256_token(base::Secret(kRfcKey), R"({"alg":"RS256"})",
                                 "{\"iss\":\"joe\",\r\n \"exp\":1300819380,\r\n "
                                 "\"http://example.com/is_root\":true}");
  EXPECT_EQ(
      token,
      "eyJhbGciOiJSUzI1NiJ9."
      "eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9pc19yb290Ijp"
      "0cnVlfQ."
      "cC4hiUPoj9Eetdgtv3hF80EGrhuB__dzERat0XF9g2VtQgr9PJbu3XOiZj5RZmh7AAuHIm4Bh-0Qc_lF5YKt_O8W"
      "2Fp5jujGbds9uJdbF9CUAr7t1dnZcAcQjbKBYNX4BAynRFdiuB--f_nZLgrnbyTyWzO75vRK5h6xBArLIARNPvkSj"
      "tQBMHlb1L07Qe7K0GarZRmB_eSN9383LcOLn6_dO--xi12jzDwusC-eOkHWEsqtFZESc6BfI7noOPqvhJ1phCnvWh"
      "6IeYI2w9QOYEUipUTI8np6LbgGY9Fs98rqVt5AXLIhWkWywlVmtVrBp0igcN_IoypGlUPQGe77Rw");
}

TEST(GoogleToken, the_shared_vector_of_the_same_key) {
  const char* named = std::getenv("STEELYARD_SHARED");
  const std::string shared = named != nullptr ? named : STEELYARD_SOURCE_DIR "/../shared";
  const auto file = base::read_file(shared + "/data/signing/jwt-rs256-rfc7515-a2.json");
  if (!file) {
    GTEST_SKIP() << "1 vector of RS256 is not in " << shared << " (STEELYARD_SHARED)";
  }
  const Json vector = base::parse_json(*file).value();
  EXPECT_EQ(rs256_token(base::Secret(kRfcKey), vector["header"].get<std::string>(),
                        vector["payload"].get<std::string>()),
            vector["compact"]);
}

// What stands between the dots, as JSON.
Json part_of(const std::string& token, std::size_t at) {
  std::string part(base::split(token, '.').at(at));
  std::ranges::replace(part, '-', '+');
  std::ranges::replace(part, '_', '/');
  part.append((4 - part.size() % 4) % 4, '=');
  return base::parse_json(base::from_base64(part).value()).value();
}

TEST(GoogleToken, a_service_account_asks_with_a_token_of_its_own) {
  const auto credentials = parsed(service_account()).value();
  const std::string body = google_token_request(credentials, kWall).value().reveal();
  const std::string before =
      "grant_type=urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Ajwt-bearer&assertion=";
  ASSERT_THAT(body, testing::StartsWith(before));
  const std::string assertion = body.substr(before.size());
  EXPECT_EQ(part_of(assertion, 0), (Json{{"alg", "RS256"}, {"typ", "JWT"}, {"kid", "k1"}}));
  EXPECT_EQ(part_of(assertion, 1),
            (Json{{"iss", "steelyard@p-1.iam.gserviceaccount.com"},
                  {"scope", "https://www.googleapis.com/auth/cloud-platform"},
                  {"aud", "https://oauth2.googleapis.com/token"},
                  {"iat", 1'767'323'045},
                  {"exp", 1'767'326'645}}));
}

TEST(GoogleToken, a_user_asks_with_the_refresh_token) {
  const auto credentials = parsed({{"type", "authorized_user"},
                                   {"client_id", "c"},
                                   {"client_secret", "s&"},
                                   {"refresh_token", "1//r"}})
                               .value();
  EXPECT_EQ(credentials.token_uri, "https://oauth2.googleapis.com/token");
  EXPECT_EQ(google_token_request(credentials, kWall).value().reveal(),
            "grant_type=refresh_token&client_id=c&client_secret=s%26&refresh_token=1%2F%2Fr");
}

TEST(GoogleToken, complaints_about_a_file_have_a_line_and_no_value) {
  const std::string right =
      " (a service account's key from the console, or what `gcloud auth application-default login` "
      "writes)";
  EXPECT_EQ(complaint("{\n  \"type\": \"service_account\",\n  SECRET"),
            "key.json:3: credentials that are not JSON" + right);
  EXPECT_EQ(complaint(""), "key.json:1: credentials that are not JSON" + right);
  EXPECT_EQ(complaint("[\"SECRET\"]"), "key.json: credentials that are no JSON object" + right);
  EXPECT_EQ(complaint("{}"), "key.json: type is missing" + right);
  EXPECT_EQ(
      complaint("{\n\"type\": \"external_account\"}"),
      "key.json:2: a type of credentials that is neither service_account nor authorized_user" +
          right);
  EXPECT_EQ(
      complaint("{\"type\": \"service_account\",\n\"client_email\": \"a\",\n\"private_key\": 7}"),
      "key.json:3: private_key is no text" + right);
  EXPECT_EQ(complaint("{\"type\": \"authorized_user\", \"client_id\": \"SECRET\"}"),
            "key.json: client_secret is missing" + right);
}

TEST(GoogleToken, a_private_key_that_is_none_is_the_files_fault) {
  Json json = service_account();
  json["private_key"] = "SECRET";
  const auto request = google_token_request(parsed(json).value(), kWall);
  ASSERT_FALSE(request.has_value());
  EXPECT_THAT(base::to_line(request.error()),
              testing::StartsWith("key.json: private_key holds no private key in PEM"));
  EXPECT_THAT(base::to_line(request.error()), Not(HasSubstr("SECRET")));
}

TEST(GoogleToken, an_answer_is_a_token_with_its_end) {
  const auto credentials = parsed(service_account()).value();
  const auto token = parse_google_token(
      credentials, 200, R"({"access_token":"ya29.x","expires_in":3599,"token_type":"Bearer"})", 7);
  EXPECT_EQ(token->value.reveal(), "ya29.x");
  EXPECT_EQ(token->expires_at, 3599 * base::kSecond + 7);
  EXPECT_EQ(parse_google_token(credentials, 200, R"({"access_token":"x"})", 0)->expires_at,
            3600 * base::kSecond);
}

TEST(GoogleToken, a_refusal_is_told_in_the_servers_words) {
  const auto credentials = parsed(service_account()).value();
  const auto refusal = [&](int status, std::string_view body) {
    const auto token = parse_google_token(credentials, status, body, 0);
    EXPECT_EQ(token.error().code, base::ErrorCode::kEnvironment);
    return base::to_line(token.error());
  };
  EXPECT_EQ(refusal(400, R"({"error":"invalid_grant","error_description":"Invalid JWT."})"),
            "https://oauth2.googleapis.com/token: it gave no access token: status 400: "
            "invalid_grant: Invalid JWT. (the credentials in key.json)");
  EXPECT_THAT(refusal(200, R"({"access_token":""})"), HasSubstr("status 200 and no token"));
  EXPECT_THAT(refusal(502, "<html>"), HasSubstr("status 502 and no token"));
  EXPECT_THAT(refusal(200, "[]"), HasSubstr("status 200 and no token"));
}

}  // namespace
}  // namespace steelyard::platform
