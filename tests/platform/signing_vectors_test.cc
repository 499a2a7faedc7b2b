// The vectors of awslabs/aws-c-auth, Tencent Cloud and Huawei Cloud, whole. They are not part of
// the project; where they are absent the tests say what they passed over.
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "base/file.h"
#include "base/json.h"
#include "base/text.h"
#include "platform/sign_aws.h"
#include "platform/sign_huawei.h"
#include "platform/sign_tencent.h"

namespace steelyard::platform {
namespace {

namespace fs = std::filesystem;
using base::Json;
using testing::HasSubstr;

fs::path folder() {
  const char* named = std::getenv("STEELYARD_SHARED");
  const fs::path shared = named != nullptr ? named : STEELYARD_SOURCE_DIR "/../shared";
  return shared / "data/signing";
}

std::string read(const fs::path& file) { return base::read_file(file.string()).value(); }

struct Request {
  std::string method;
  std::string target;
  wire::Fields fields;
  std::string body;

  [[nodiscard]] SignedParts parts() const { return {method, target, fields, body}; }
};

// As the vectors write one: no space after the colon, lines that continue a value, targets with
// spaces in them.
Request parse_request(const std::string& text) {
  constexpr std::string_view kVersion = " HTTP/1.1";
  Request request;
  const std::size_t end = text.find("\n\n");
  const std::string head = text.substr(0, end);
  request.body = end == std::string::npos ? "" : text.substr(end + 2);
  bool first = true;
  for (const std::string_view line : base::split(head, '\n')) {
    if (std::exchange(first, false)) {
      const std::size_t space = line.find(' ');
      request.method = line.substr(0, space);
      request.target = line.substr(space + 1, line.size() - space - 1 - kVersion.size());
    } else if (line.starts_with(' ')) {
      request.fields.back().second.append("\n").append(line);
    } else if (!line.empty()) {
      const std::size_t colon = line.find(':');
      request.fields.emplace_back(line.substr(0, colon), line.substr(colon + 1));
    }
  }
  return request;
}

base::Nanos nanos_of(const std::string& iso8601) {
  std::tm time{};
  EXPECT_NE(::strptime(iso8601.c_str(), "%Y-%m-%dT%H:%M:%SZ", &time), nullptr);
  return ::timegm(&time) * base::kSecond;
}

AwsSigner aws_signer(const Json& context, bool hash_field) {
  const Json& keys = context["credentials"];
  return {{keys["access_key_id"], base::Secret(keys["secret_access_key"]),
           base::Secret(keys.value("token", ""))},
          {context["region"], context["service"], context["normalize"],
           !context.value("omit_session_token", false), hash_field}};
}

void expect_signed(const fs::path& at, const Json& context, const Request& request) {
  AwsSigner signer = aws_signer(context, context["sign_body"]);
  const wire::Fields added = signer.sign(request.parts(), nanos_of(context["timestamp"]));
  EXPECT_EQ(signer.canonical_request(), read(at / "header-canonical-request.txt"));
  EXPECT_EQ(signer.string_to_sign(), read(at / "header-string-to-sign.txt"));
  // What is sent is the vector's signed request, but for the case of names and their order.
  const Request expected = parse_request(read(at / "header-signed-request.txt"));
  wire::Fields sent = request.fields;
  sent.insert(sent.end(), added.begin(), added.end());
  const auto comparable = [](wire::Fields fields) {
    for (auto& [name, value] : fields) {
      name = base::lower(name);
    }
    std::ranges::sort(fields);
    return fields;
  };
  EXPECT_EQ(comparable(sent), comparable(expected.fields));
}

void expect_signed_in_query(const fs::path& at, const Json& context, const Request& request) {
  AwsSigner signer = aws_signer(context, false);
  const std::string query =
      signer.signed_query(request.parts(), std::chrono::seconds(context["expiration_in_seconds"]),
                          nanos_of(context["timestamp"]));
  EXPECT_EQ(signer.canonical_request(), read(at / "query-canonical-request.txt"));
  EXPECT_EQ(signer.string_to_sign(), read(at / "query-string-to-sign.txt"));
  const Request expected = parse_request(read(at / "query-signed-request.txt"));
  EXPECT_EQ(canonical_query(query, QueryOrder::kEncoded),
            canonical_query(split_target(expected.target).query, QueryOrder::kEncoded));
  EXPECT_THAT(query, HasSubstr(std::string(base::trim(read(at / "query-signature.txt")))));
}

TEST(SigningVectors, all_of_aws) {
  std::error_code absent;
  int cases = 0;
  for (const auto& entry : fs::directory_iterator(folder() / "aws-sigv4/v4", absent)) {
    SCOPED_TRACE(entry.path().filename());
    const Json context = base::parse_json(read(entry.path() / "context.json")).value();
    const Request request = parse_request(read(entry.path() / "request.txt"));
    expect_signed(entry.path(), context, request);
    expect_signed_in_query(entry.path(), context, request);
    ++cases;
  }
  RecordProperty("cases", cases);
  if (cases == 0) {
    GTEST_SKIP() << "the 38 cases of aws-c-auth are not in " << folder() << " (STEELYARD_SHARED)";
  }
}

std::optional<Json> json_of(const char* name) {
  const auto text = base::read_file((folder() / name).string());
  return text ? std::optional(base::parse_json(*text).value()) : std::nullopt;
}

TEST(SigningVectors, of_tencent) {
  const auto vectors = json_of("tc3-hmac-sha256.json");
  if (!vectors) {
    GTEST_SKIP() << "the vector of TC3 is not in " << folder() << " (STEELYARD_SHARED)";
  }
  for (const Json& each : *vectors) {
    TencentSigner signer({each["secret_id"], base::Secret(each["secret_key"]), {}},
                         each["service"]);
    const wire::Fields fields = {{"Host", each["host"]}, {"Content-Type", each["content_type"]}};
    const std::string method = each["method"];
    const std::string target = each["uri"];
    const std::string body = each["payload"];
    const auto added = signer.sign({method, target, fields, body},
                                   each["timestamp"].get<base::Nanos>() * base::kSecond);
    EXPECT_EQ(signer.canonical_request(), each["canonical_request"]);
    EXPECT_EQ(signer.string_to_sign(), each["string_to_sign"]);
    EXPECT_EQ(added.at(1).second, each["authorization"]);
  }
}

TEST(SigningVectors, of_huawei) {
  const auto vectors = json_of("huawei-sdk-hmac-sha256.json");
  if (!vectors) {
    GTEST_SKIP() << "the vectors of SDK-HMAC-SHA256 are not in " << folder()
                 << " (STEELYARD_SHARED)";
  }
  for (const Json& each : (*vectors)["cases"]) {
    HuaweiSigner signer({each["access_key"], base::Secret(each["secret_key"]), {}});
    wire::Fields fields;
    for (const auto& [name, value] : each["headers"].items()) {
      if (name == "TEST_UNDERSCORE") {
        fields.emplace_back(name, value);
      }
    }
    const std::string method = each["method"];
    const std::string target =
        each["path"].get<std::string>() + "?" + each["query"].get<std::string>();
    const std::string body = each["body"];
    const auto added =
        signer.sign({method, target, fields, body}, nanos_of("2006-01-02T15:04:05Z"));
    EXPECT_EQ(signer.canonical_request(), each["canonical_request"]);
    EXPECT_EQ(signer.string_to_sign(), each["string_to_sign"]);
    EXPECT_EQ(added.at(1).second, each["authorization"]);
  }
}

}  // namespace
}  // namespace steelyard::platform
