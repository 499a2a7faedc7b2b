// What sign_peers_test.py compares with other people's signers. A JSON array of requests on
// standard input; on standard output, in their order, the fields that a signature adds, the body
// that asks Google for a token, or the bytes of an event stream's message.
#include <fmt/format.h>

#include <iostream>
#include <iterator>
#include <nlohmann/json.hpp>

#include "base/encoding.h"
#include "base/json.h"
#include "platform/google_token.h"
#include "platform/sign_aws.h"
#include "platform/sign_eas.h"
#include "platform/sign_huawei.h"
#include "platform/sign_tencent.h"
#include "wire/event_stream.h"

namespace {

using namespace steelyard;
using base::Json;

struct Request {
  explicit Request(const Json& json)
      : method(json["method"]),
        target(json["target"]),
        body(base::from_base64(json["body"].get<std::string>()).value()),
        at(json["at"].get<base::Nanos>() * base::kSecond) {
    for (const Json& field : json["fields"]) {
      fields.emplace_back(field[0], field[1]);
    }
  }
  [[nodiscard]] platform::SignedParts parts() const { return {method, target, fields, body}; }

  std::string method;
  std::string target;
  wire::Fields fields;
  std::string body;
  base::Nanos at;
};

wire::Fields signed_fields(const Json& json) {
  const Request request(json);
  const std::string scheme = json["scheme"];
  const std::string id = json.value("id", "");
  const base::Secret secret(json["secret"]);
  const base::Secret token(json.value("token", ""));
  if (scheme == "aws") {
    platform::AwsSigner signer({id, secret, token}, {json["region"], json["service"]});
    return signer.sign(request.parts(), request.at);
  }
  if (scheme == "tencent") {
    platform::TencentSigner signer({id, secret, token}, json["service"]);
    return signer.sign(request.parts(), request.at);
  }
  if (scheme == "huawei") {
    platform::HuaweiSigner signer({id, secret, token});
    return signer.sign(request.parts(), request.at);
  }
  return platform::eas_signature(secret, request.parts(), request.at);
}

std::string token_request(const Json& json) {
  return platform::parse_google_credentials("key.json", base::dump_json(json["key"]))
      .and_then([&](const platform::GoogleCredentials& credentials) {
        return platform::google_token_request(credentials,
                                              json["at"].get<base::Nanos>() * base::kSecond);
      })
      .value()
      .reveal();
}

std::string message(const Json& json) {
  std::vector<wire::EventStreamHeader> headers;
  for (const auto& [name, value] : json["headers"].items()) {
    headers.push_back(
        {name, wire::EventStreamHeader::Type::kString, value.get_ref<const std::string&>()});
  }
  std::string bytes;
  wire::append_event_stream_message(
      headers, base::from_base64(json["payload"].get<std::string>()).value(), bytes);
  return base::base64(bytes);
}

Json answer(const Json& json) {
  if (json["scheme"] == "google") {
    return token_request(json);
  }
  return json["scheme"] == "event stream" ? Json(message(json)) : Json(signed_fields(json));
}

}  // namespace

int main() {
  const std::string text(std::istreambuf_iterator<char>(std::cin), {});
  const Json requests = base::parse_json(text).value();
  Json answers = Json::array();
  for (const Json& json : requests) {
    answers.push_back(answer(json));
  }
  fmt::print("{}\n", base::dump_json(answers));
  return 0;
}
