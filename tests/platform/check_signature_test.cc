#include "platform/check_signature.h"

#include "base/text.h"

namespace steelyard::platform {
namespace {

constexpr base::Nanos kWall = 1'767'323'045 * base::kSecond;
constexpr base::Nanos kMinute = 60 * base::kSecond;
constexpr std::string_view kBody = R"({"a":1})";

wire::HttpHead head_of(const wire::Fields& fields) {
  wire::HttpHead head;
  head.method = "POST";
  head.target = "/model/a%3A0/invoke?x=1";
  for (const auto& [name, value] : fields) {
    head.fields.emplace_back(base::lower(name), value);
  }
  return head;
}

// As a client sends it: what it signed, what the signature added, and what a proxy put in.
template <typename Signer>
wire::HttpHead signed_head(Signer client) {
  const wire::Fields fields = {{"host", "h"}, {"content-type", "application/json"}};
  const wire::HttpHead plain = head_of(fields);
  wire::Fields all = client.sign({plain.method, plain.target, fields, kBody}, kWall);
  all.insert(all.end(), fields.begin(), fields.end());
  all.emplace_back("Via", "1.1 proxy");
  return head_of(all);
}

AwsSigner aws(const std::string& id = "ID", const std::string& secret = "S",
              const std::string& region = "r", const std::string& token = "") {
  return {{id, base::Secret(secret), base::Secret(token)}, {region, "bedrock"}};
}
TencentSigner tencent(const std::string& id = "ID", const std::string& secret = "S",
                      const std::string& service = "tione") {
  return {{id, base::Secret(secret), {}}, service};
}
HuaweiSigner huawei(const std::string& id = "ID", const std::string& secret = "S",
                    const std::string& token = "") {
  return HuaweiSigner({id, base::Secret(secret), base::Secret(token)});
}

template <typename Signer>
std::optional<SignatureFault> fault(Signer server, const wire::HttpHead& head,
                                    base::Nanos wall = kWall, std::string_view body = kBody) {
  return signature_fault(server, head, body, wall);
}

TEST(CheckSignature, a_right_one_is_taken) {
  EXPECT_EQ(fault(aws(), signed_head(aws())), std::nullopt);
  EXPECT_EQ(fault(tencent(), signed_head(tencent())), std::nullopt);
  EXPECT_EQ(fault(huawei(), signed_head(huawei())), std::nullopt);
  const AwsSigner with_token = aws("ID", "S", "r", "T");
  EXPECT_EQ(fault(with_token, signed_head(with_token)), std::nullopt);
  EXPECT_EQ(fault(huawei("ID", "S", "T"), signed_head(huawei("ID", "S", "T"))), std::nullopt);
}

TEST(CheckSignature, another_key_and_another_scope) {
  EXPECT_EQ(fault(aws("OTHER"), signed_head(aws())), SignatureFault::kKey);
  EXPECT_EQ(fault(tencent("OTHER"), signed_head(tencent())), SignatureFault::kKey);
  EXPECT_EQ(fault(huawei("OTHER"), signed_head(huawei())), SignatureFault::kKey);
  EXPECT_EQ(fault(aws("ID", "S", "r2"), signed_head(aws())), SignatureFault::kScope);
  EXPECT_EQ(fault(tencent("ID", "S", "cvm"), signed_head(tencent())), SignatureFault::kScope);
}

TEST(CheckSignature, another_secret_or_another_request) {
  EXPECT_EQ(fault(aws("ID", "OTHER"), signed_head(aws())), SignatureFault::kWrong);
  EXPECT_EQ(fault(tencent("ID", "OTHER"), signed_head(tencent())), SignatureFault::kWrong);
  EXPECT_EQ(fault(huawei("ID", "OTHER"), signed_head(huawei())), SignatureFault::kWrong);
  EXPECT_EQ(fault(aws(), signed_head(aws()), kWall, "{}"), SignatureFault::kWrong);
  wire::HttpHead elsewhere = signed_head(huawei());
  elsewhere.target = "/other";
  EXPECT_EQ(fault(huawei(), elsewhere), SignatureFault::kWrong);
  EXPECT_EQ(fault(aws("ID", "S", "r", "T"), signed_head(aws())), SignatureFault::kWrong);
}

TEST(CheckSignature, a_moment_too_far_away) {
  for (const base::Nanos sign : {-1, 1}) {
    EXPECT_EQ(fault(aws(), signed_head(aws()), kWall + sign * 5 * kMinute), std::nullopt);
    EXPECT_EQ(fault(aws(), signed_head(aws()), kWall + sign * 6 * kMinute),
              SignatureFault::kSkewed);
    EXPECT_EQ(fault(tencent(), signed_head(tencent()), kWall + sign * 6 * kMinute),
              SignatureFault::kSkewed);
    EXPECT_EQ(fault(huawei(), signed_head(huawei()), kWall + sign * 14 * kMinute), std::nullopt);
    EXPECT_EQ(fault(huawei(), signed_head(huawei()), kWall + sign * 16 * kMinute),
              SignatureFault::kSkewed);
  }
}

TEST(CheckSignature, none_at_all_or_of_another_form) {
  EXPECT_EQ(fault(aws(), head_of({})), SignatureFault::kMissing);
  EXPECT_EQ(fault(aws(), signed_head(huawei())), SignatureFault::kMissing);
  for (const std::string text : {"Bearer x", "AWS4-HMAC-SHA256", "AWS4-HMAC-SHA256 ,=,a"}) {
    EXPECT_EQ(fault(aws(), head_of({{"authorization", text}, {"x-amz-date", "20260102T030405Z"}})),
              SignatureFault::kMissing)
        << text;
  }
  for (const std::string date :
       {"", "2026", "20260102T030405+", "20261302T030405Z", "2026-1-2T3:4:5Z"}) {
    wire::HttpHead head = signed_head(aws());
    std::ranges::find(head.fields, std::string("x-amz-date"), &wire::Fields::value_type::first)
        ->second = date;
    EXPECT_EQ(fault(aws(), head), SignatureFault::kMissing) << date;
  }
}

}  // namespace
}  // namespace steelyard::platform
