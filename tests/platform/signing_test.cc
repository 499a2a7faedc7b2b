// Signatures that others made. Those of this file are facts of public documents and of other
// programs, each named.
#include "platform/sign_aws.h"
#include "platform/sign_eas.h"
#include "platform/sign_huawei.h"
#include "platform/sign_tencent.h"

namespace steelyard::platform {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Pair;

constexpr base::Nanos kFri_02_Jan_2026 = 1'767'323'045 * base::kSecond;  // 03:04:05 UTC
constexpr base::Nanos kDay = 86'400 * base::kSecond;

std::string field(const wire::Fields& fields, std::string_view name) {
  const auto found = std::ranges::find(fields, name, &wire::Fields::value_type::first);
  return found == fields.end() ? "absent" : found->second;
}

AwsCredentials aws_example(const std::string& token = "") {
  return {"AKIDEXAMPLE", base::Secret("wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY"),
          base::Secret(token)};
}

const wire::Fields& bedrock_fields() {
  static const wire::Fields fields = {{"Host", "bedrock-runtime.us-west-2.amazonaws.com"},
                                      {"Content-Type", "application/json"}};
  return fields;
}

SignedParts bedrock_request() {
  return {"POST", "/model/anthropic.claude-3-haiku-20240307-v1%3A0/converse-stream",
          bedrock_fields(), R"({"a":1})"};
}

// By botocore 1.44.8's SigV4Auth.
TEST(SignAws, a_request_of_bedrock_whose_path_is_encoded_twice) {
  AwsSigner signer(aws_example(), {"us-west-2", "bedrock"});
  EXPECT_THAT(
      signer.sign(bedrock_request(), kFri_02_Jan_2026),
      ElementsAre(Pair("X-Amz-Date", "20260102T030405Z"),
                  Pair("Authorization",
                       "AWS4-HMAC-SHA256 "
                       "Credential=AKIDEXAMPLE/20260102/us-west-2/bedrock/aws4_request, "
                       "SignedHeaders=content-type;host;x-amz-date, Signature="
                       "86a0b0487c6ba300c1cdb3ae796a83362624a42419b8f575499ee550b62e18d5")));
  EXPECT_THAT(signer.canonical_request(), HasSubstr("\n/model/anthropic.claude-3-haiku-20240307-"
                                                    "v1%253A0/converse-stream\n\n"));
}

// By botocore 1.44.8's SigV4Auth.
TEST(SignAws, a_request_of_sagemaker_with_a_session_token) {
  AwsSigner signer(aws_example("TOKEN/+="), {"eu-west-1", "sagemaker"});
  const wire::Fields fields = {{"content-type", "application/json"},
                               {"host", "runtime.sagemaker.eu-west-1.amazonaws.com"}};
  const auto added = signer.sign(
      {"POST", "/endpoints/chat/invocations-response-stream", fields, R"({"inputs":"x"})"},
      kFri_02_Jan_2026);
  EXPECT_EQ(field(added, "X-Amz-Security-Token"), "TOKEN/+=");
  EXPECT_THAT(
      field(added, "Authorization"),
      HasSubstr("SignedHeaders=content-type;host;x-amz-date;x-amz-security-token, Signature="
                "1c80dacde382c463fb9315a6356edeb62a9864dedd24b1b62b324b7c1abe8af2"));
}

// get-header-value-multiline and get-header-key-duplicate of awslabs/aws-c-auth, in one test: what
// a field's value is folded to, and how equal names are joined.
TEST(SignAws, values_are_folded_and_equal_names_joined) {
  struct Case {
    wire::Fields fields;
    std::string signature;
  };
  for (const Case& each :
       {Case{{{"Host", "example.amazonaws.com"}, {"My-Header1", "value1\n  value2\n     value3"}},
             "cfd34249e4b1c8d6b91ef74165d41a32e5fab3306300901bb65a51a73575eefd"},
        Case{{{"Host", "example.amazonaws.com"},
              {"My-Header1", "value2"},
              {"My-Header1", "value2"},
              {"My-Header1", "value1"}},
             "c9d5ea9f3f72853aea855b47ea873832890dbdd183b4468f858259531a5138ea"}}) {
    AwsSigner signer(aws_example(), {"us-east-1", "service"});
    const auto added = signer.sign({"GET", "/", each.fields, ""}, 1'440'938'160 * base::kSecond);
    EXPECT_THAT(field(added, "Authorization"), HasSubstr("Signature=" + each.signature));
  }
}

// The kept key is that of the day, whatever was signed before.
TEST(SignAws, days_may_come_in_any_order) {
  AwsSigner kept(aws_example(), {"us-west-2", "bedrock"});
  for (const base::Nanos at : {kFri_02_Jan_2026, kFri_02_Jan_2026 + kDay, kFri_02_Jan_2026}) {
    AwsSigner fresh(aws_example(), {"us-west-2", "bedrock"});
    EXPECT_EQ(kept.sign(bedrock_request(), at), fresh.sign(bedrock_request(), at));
  }
}

TEST(SignAws, what_is_signed_is_the_body_the_path_and_the_time) {
  AwsSigner signer(aws_example(), {"us-west-2", "bedrock"});
  const std::string right =
      field(signer.sign(bedrock_request(), kFri_02_Jan_2026), "Authorization");
  SignedParts body = bedrock_request();
  body.body = R"({"a":2})";
  SignedParts path = bedrock_request();
  path.target = "/model/anthropic.claude-3-haiku-20240307-v1%3A0/converse";
  SignedParts method = bedrock_request();
  method.method = "GET";
  for (const SignedParts& changed : {body, path, method}) {
    EXPECT_NE(field(signer.sign(changed, kFri_02_Jan_2026), "Authorization"), right);
  }
  EXPECT_NE(
      field(signer.sign(bedrock_request(), kFri_02_Jan_2026 + base::kSecond), "Authorization"),
      right);
}

TEST(CanonicalRequest, paths) {
  struct Case {
    std::string path;
    std::string normal;
  };
  for (const Case& each :
       {Case{"", "/"}, Case{"/", "/"}, Case{"//a//b//", "/a/b/"}, Case{"/a/./b/../c", "/a/c"},
        Case{"/../..", "/"}, Case{"/a/..", "/"}, Case{"/a/b/", "/a/b/"}, Case{"/...", "/..."}}) {
    EXPECT_EQ(normal_path(each.path), each.normal) << each.path;
  }
}

TEST(CanonicalRequest, queries) {
  struct Case {
    std::string query;
    std::string canonical;
  };
  for (const Case& each :
       {Case{"", ""}, Case{"b=2&a=1", "a=1&b=2"}, Case{"a=2&a=1&a", "a=&a=1&a=2"},
        Case{"a=%7e%2F+ 中&&", "a=~%2F%2B%20%E4%B8%AD"}, Case{"a=b=c", "a=b%3Dc"},
        Case{"A=1&a=1&-=1&%41=0", "-=1&A=0&A=1&a=1"}}) {
    EXPECT_EQ(canonical_query(each.query, QueryOrder::kEncoded), each.canonical) << each.query;
  }
}

TEST(CanonicalRequest, names_that_are_encoded_may_be_put_in_order_before_or_after) {
  EXPECT_EQ(canonical_query("%E4%B8%AD=1&e=2", QueryOrder::kEncoded), "%E4%B8%AD=1&e=2");
  EXPECT_EQ(canonical_query("%E4%B8%AD=1&e=2", QueryOrder::kDecoded), "e=2&%E4%B8%AD=1");
}

// The example of Tencent Cloud's documentation, whose keys are hidden by asterisks; its payload has
// six ASCII characters for each Chinese one.
SignedParts tencent_request(const wire::Fields& fields) {
  return {
      "POST", "/", fields,
      R"({"Limit": 1, "Filters": [{"Values": ["\u672a\u547d\u540d"], "Name": "instance-name"}]})"};
}

TencentSigner tencent_example(const std::string& token = "") {
  return {{"AKIDz8krbsJ5yKBZQpn74WFkmLPx3*******", base::Secret("Gu5t9xGARNpq86cd98joQYCN3*******"),
           base::Secret(token)},
          "cvm"};
}

constexpr base::Nanos kTencent = 1'551'113'065 * base::kSecond;

TEST(SignTencent, the_example_of_its_documentation) {
  const wire::Fields fields = {{"Content-Type", "application/json; charset=utf-8"},
                               {"Host", "cvm.tencentcloudapi.com"}};
  TencentSigner signer = tencent_example();
  EXPECT_THAT(
      signer.sign(tencent_request(fields), kTencent),
      ElementsAre(Pair("X-TC-Timestamp", "1551113065"),
                  Pair("Authorization",
                       "TC3-HMAC-SHA256 Credential=AKIDz8krbsJ5yKBZQpn74WFkmLPx3*******/"
                       "2019-02-25/cvm/tc3_request, SignedHeaders=content-type;host, Signature="
                       "2230eefd229f582d8b1b891af7107b91597240707d778ab3738f756258d7652c")));
}

// Computed apart from this program; the documentation shows it for a key it does not show.
TEST(SignTencent, values_are_signed_in_lower_case) {
  const wire::Fields fields = {{"Content-Type", "application/json; charset=utf-8"},
                               {"Host", "cvm.tencentcloudapi.com"},
                               {"X-TC-Action", "DescribeInstances"}};
  TencentSigner signer = tencent_example("TOKEN");
  const auto added = signer.sign(tencent_request(fields), kTencent);
  EXPECT_THAT(field(added, "Authorization"),
              HasSubstr("be4f67d323c78ab9acb7395e43c0dbcf822a9cfac32fea2449a7bc7726b770a3"));
  EXPECT_EQ(field(added, "X-TC-Token"), "TOKEN");
}

// Cases of huaweicloud-sdk-go-v3's core/auth/signer/signer_test.go.
TEST(SignHuawei, the_vectors_of_its_own_sdk) {
  struct Case {
    std::string method;
    std::string target;
    wire::Fields fields;
    std::string body;
    std::string signature;
  };
  for (const Case& each :
       {Case{"GET",
             "/path?limit=1",
             {{"TEST_UNDERSCORE", "TEST_VALUE"}},
             "",
             "5a2ce64c865e0e6046321c6f3d5a77ba8413eeaf355c3166c03d58d02ac79624"},
        Case{"POST",
             "/path?key=value",
             {{"TEST_UNDERSCORE", "TEST_VALUE"}},
             "{\"Name\":\"test\",\"Id\":1}\n",
             "cecc2af119b18ab70b4d094c0750f3b42c02f254903179a0fc2cc72fc9db4f59"}}) {
    HuaweiSigner signer({"AccessKey", base::Secret("SecretKey"), {}});
    EXPECT_THAT(signer.sign({each.method, each.target, each.fields, each.body},
                            1'136'214'245 * base::kSecond),
                ElementsAre(Pair("X-Sdk-Date", "20060102T150405Z"),
                            Pair("Authorization",
                                 "SDK-HMAC-SHA256 Access=AccessKey, SignedHeaders=x-sdk-date, "
                                 "Signature=" +
                                     each.signature)));
  }
}

// Computed apart from this program by the rules of API Gateway's documentation.
TEST(SignHuawei, a_request_of_modelarts) {
  HuaweiSigner signer({"AKEXAMPLE", base::Secret("SKEXAMPLE"), {}});
  const wire::Fields fields = {{"Host", "h.example.com"}, {"Content-Type", "application/json"}};
  const auto added =
      signer.sign({"POST", "/v1/infers/abc", fields, R"({"a":1})"}, kFri_02_Jan_2026);
  EXPECT_THAT(field(added, "Authorization"),
              HasSubstr("SignedHeaders=content-type;host;x-sdk-date, Signature="
                        "32ab877230a071c31b4fddddb8f28e999a0be5f3bbe232afdf91b2529089465b"));
}

// From the same file.
TEST(SignHuawei, the_query_of_its_own_sdk) {
  EXPECT_EQ(
      canonical_query("limit=1&enable=true&test=%E4%B8%80%20(%26=%3F!%23%25.*)&path=%2Ftmp%2F123&"
                      "multi=1&multi=2&multi=3",
                      QueryOrder::kDecoded),
      "enable=true&limit=1&multi=1&multi=2&multi=3&path=%2Ftmp%2F123&"
      "test=%E4%B8%80%20%28%26%3D%3F%21%23%25.%2A%29");
}

TEST(SignHuawei, a_security_token_is_sent_and_signed) {
  HuaweiSigner signer({"AK", base::Secret("SK"), base::Secret("TOKEN")});
  const auto added = signer.sign({"GET", "/", {}, ""}, kFri_02_Jan_2026);
  EXPECT_EQ(field(added, "X-Security-Token"), "TOKEN");
  EXPECT_THAT(field(added, "Authorization"), HasSubstr("=x-sdk-date;x-security-token,"));
}

// By eas-prediction 0.36's own expression in Python.
TEST(SignEas, the_expression_of_its_sdk) {
  const wire::Fields fields = {{"Content-Type", "application/json"}};
  EXPECT_THAT(
      eas_signature(base::Secret("TOKEN"), {"POST", "/api/predict/chat?x=1", fields, R"({"a":1})"},
                    kFri_02_Jan_2026),
      ElementsAre(Pair("Content-MD5", "bb6cb5c68df4652941caf652a366f2d8"),
                  Pair("Date", "Fri, 02 Jan 2026 03:04:05 GMT"),
                  Pair("Authorization", "EAS UdlzAc8MqAFThEqi4MhMHB4sYF8=")));
}

}  // namespace
}  // namespace steelyard::platform
