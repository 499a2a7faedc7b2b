// Google's access tokens, which Vertex AI asks for: from a service account's key, by a JSON Web
// Token signed with it (RFC 7523; Google Identity, "Using OAuth 2.0 for server to server
// applications"), or from the refresh token of a user who logged in with gcloud (RFC 6749, section
// 6).
#pragma once

#include <string>
#include <string_view>
#include <variant>

#include "base/clock.h"
#include "base/error.h"
#include "base/secret.h"

namespace steelyard::platform {

struct GoogleServiceAccount {
  std::string client_email;
  std::string key_id;        // may be empty
  base::Secret private_key;  // PEM
  std::string project_id;    // may be empty
};
struct GoogleUser {
  std::string client_id;
  base::Secret client_secret;
  base::Secret refresh_token;
};
struct GoogleCredentials {
  std::variant<GoogleServiceAccount, GoogleUser> from;
  std::string token_uri;  // where a token is asked for, by POST of `google_token_request`
  std::string where;      // the file, for errors
};

// Of a file of credentials. `where` stands in errors, with the line where it is known; none of them
// shows a value.
[[nodiscard]] base::Result<GoogleCredentials> parse_google_credentials(const std::string& where,
                                                                       std::string_view json);

// The body, application/x-www-form-urlencoded, that asks for a token for Google Cloud's platform.
// Of a service account it holds for an hour from `wall`, nanoseconds since 1970. A private key that
// is none is bad input.
[[nodiscard]] base::Result<base::Secret> google_token_request(const GoogleCredentials& credentials,
                                                              base::Nanos wall);

struct AccessToken {
  base::Secret value;
  base::Nanos expires_at = 0;  // nanoseconds since 1970
};
// The answer to it, which came at `wall`. What is no token is an environment error in the server's
// words.
[[nodiscard]] base::Result<AccessToken> parse_google_token(const GoogleCredentials& credentials,
                                                           int status, std::string_view body,
                                                           base::Nanos wall);

// "header.payload.signature" of RFC 7515, signed with RS256. The error is what is wrong with the
// key.
[[nodiscard]] tl::expected<std::string, std::string> rs256_token(const base::Secret& private_key,
                                                                 std::string_view header,
                                                                 std::string_view payload);

}  // namespace steelyard::platform
