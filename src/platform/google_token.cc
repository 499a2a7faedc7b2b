#include "platform/google_token.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "base/digest.h"
#include "base/encoding.h"
#include "base/json.h"
#include "base/text.h"

namespace steelyard::platform {
namespace {

using base::Json;

constexpr std::string_view kTokenUri = "https://oauth2.googleapis.com/token";
constexpr std::string_view kScope = "https://www.googleapis.com/auth/cloud-platform";
constexpr std::string_view kGrant = "urn:ietf:params:oauth:grant-type:jwt-bearer";
constexpr std::int64_t kLifetimeSeconds = 3600;  // the longest there is
constexpr std::string_view kRight =
    "a service account's key from the console, or what `gcloud auth application-default login` "
    "writes";

// The line on which `key` first stands, for a file that people wrote: "name:line".
std::string place(const std::string& where, std::string_view text, const std::string& key) {
  const std::size_t at = text.find('"' + key + '"');
  if (at == std::string_view::npos) {
    return where;
  }
  return fmt::format("{}:{}", where, 1 + std::ranges::count(text.substr(0, at), '\n'));
}

// The keys of one file; the first that is missing is remembered.
class Keys {
 public:
  Keys(const std::string& where, std::string_view text, const Json& json)
      : where_(where), text_(text), json_(json) {}

  std::string required(const std::string& key) {
    auto value = optional(key);
    if ((!value || value->empty()) && !error_) {
      error_ =
          base::bad_input(place(where_, text_, key),
                          fmt::format("{} is {}", key, json_.contains(key) ? "no text" : "missing"),
                          std::string(kRight))
              .value();
    }
    return value.value_or("");
  }
  [[nodiscard]] std::optional<std::string> optional(const std::string& key) const {
    const auto found = json_.find(key);
    return found != json_.end() && found->is_string() ? std::optional(found->get<std::string>())
                                                      : std::nullopt;
  }
  [[nodiscard]] const std::optional<base::Error>& error() const { return error_; }

 private:
  const std::string& where_;
  std::string_view text_;
  const Json& json_;
  std::optional<base::Error> error_;
};

GoogleServiceAccount service_account(Keys& keys) {
  GoogleServiceAccount account;
  account.client_email = keys.required("client_email");
  account.private_key = base::Secret(keys.required("private_key"));
  account.key_id = keys.optional("private_key_id").value_or("");
  account.project_id = keys.optional("project_id").value_or("");
  return account;
}

GoogleUser user(Keys& keys) {
  GoogleUser user;
  user.client_id = keys.required("client_id");
  user.client_secret = base::Secret(keys.required("client_secret"));
  user.refresh_token = base::Secret(keys.required("refresh_token"));
  return user;
}

std::string form(std::initializer_list<std::pair<std::string_view, std::string_view>> fields) {
  std::string body;
  for (const auto& [name, value] : fields) {
    body.append(body.empty() ? "" : "&")
        .append(name)
        .append("=")
        .append(base::percent_encode(value));
  }
  return body;
}

base::Result<base::Secret> request_of(const GoogleServiceAccount& account,
                                      const GoogleCredentials& credentials, base::Nanos wall) {
  const std::int64_t now = wall / base::kSecond;
  Json header = {{"alg", "RS256"}, {"typ", "JWT"}};
  if (!account.key_id.empty()) {
    header["kid"] = account.key_id;
  }
  const Json payload = {{"iss", account.client_email},
                        {"scope", kScope},
                        {"aud", credentials.token_uri},
                        {"iat", now},
                        {"exp", now + kLifetimeSeconds}};
  const auto assertion =
      rs256_token(account.private_key, base::dump_json(header), base::dump_json(payload));
  if (!assertion) {
    return base::bad_input(credentials.where, "private_key holds " + assertion.error(),
                           std::string(kRight));
  }
  return base::Secret(form({{"grant_type", kGrant}, {"assertion", *assertion}}));
}

// What an error of OAuth says (RFC 6749, section 5.2), or its status alone.
std::string words_of(const Json& answer, int status) {
  std::string words;
  for (const char* key : {"error", "error_description"}) {
    if (answer.is_object() && answer.contains(key) && answer[key].is_string()) {
      words += (words.empty() ? "" : ": ") + answer[key].get<std::string>();
    }
  }
  return words.empty() ? fmt::format("status {} and no token", status)
                       : fmt::format("status {}: {}", status, base::shorten(words, 200));
}

}  // namespace

base::Result<GoogleCredentials> parse_google_credentials(const std::string& where,
                                                         std::string_view text) {
  const auto json = base::parse_json(text);
  if (!json) {
    return base::bad_input(fmt::format("{}:{}", where, base::json_fault_line(text)),
                           "credentials that are " + json.error(), std::string(kRight));
  }
  if (!json->is_object()) {
    return base::bad_input(where, "credentials that are no JSON object", std::string(kRight));
  }
  Keys keys(where, text, *json);
  GoogleCredentials credentials;
  credentials.where = where;
  credentials.token_uri = keys.optional("token_uri").value_or(std::string(kTokenUri));
  const std::string type = keys.required("type");
  if (type == "service_account") {
    credentials.from = service_account(keys);
  } else if (type == "authorized_user") {
    credentials.from = user(keys);
  } else if (!keys.error()) {
    return base::bad_input(
        place(where, text, "type"),
        "a type of credentials that is neither service_account nor authorized_user",
        std::string(kRight));
  }
  if (keys.error()) {
    return tl::unexpected(*keys.error());
  }
  return credentials;
}

base::Result<base::Secret> google_token_request(const GoogleCredentials& credentials,
                                                base::Nanos wall) {
  if (const auto* account = std::get_if<GoogleServiceAccount>(&credentials.from)) {
    return request_of(*account, credentials, wall);
  }
  const auto& user = std::get<GoogleUser>(credentials.from);
  return base::Secret(form({{"grant_type", "refresh_token"},
                            {"client_id", user.client_id},
                            {"client_secret", user.client_secret.reveal()},
                            {"refresh_token", user.refresh_token.reveal()}}));
}

base::Result<AccessToken> parse_google_token(const GoogleCredentials& credentials, int status,
                                             std::string_view body, base::Nanos wall) {
  const Json answer = base::parse_json(body).value_or(Json());
  const auto text = answer.is_object() ? answer.find("access_token") : answer.end();
  if (status != 200 || text == answer.end() || !text->is_string() ||
      text->get_ref<const std::string&>().empty()) {
    return base::environment_error(credentials.token_uri,
                                   "it gave no access token: " + words_of(answer, status),
                                   "the credentials in " + credentials.where);
  }
  const auto lifetime = answer.find("expires_in");
  const bool told = lifetime != answer.end() && lifetime->is_number_integer();
  const std::int64_t seconds =
      std::clamp<std::int64_t>(told ? lifetime->get<std::int64_t>() : kLifetimeSeconds, 0, 86'400);
  return AccessToken{base::Secret(text->get<std::string>()), wall + seconds * base::kSecond};
}

tl::expected<std::string, std::string> rs256_token(const base::Secret& private_key,
                                                   std::string_view header,
                                                   std::string_view payload) {
  std::string token = base::base64url(header) + "." + base::base64url(payload);
  return base::rsa_sha256(private_key, token).map([&](const std::string& signature) {
    return token + "." + base::base64url(signature);
  });
}

}  // namespace steelyard::platform
