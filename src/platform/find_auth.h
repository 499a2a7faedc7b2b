// The keys that a platform asks for, from what the user gave and from where the cloud's own tools
// look.
#pragma once

#include <string>

#include "base/error.h"
#include "base/secret.h"
#include "platform/auth.h"
#include "platform/platforms.h"
#include "wire/proxy.h"
#include "wire/url.h"

namespace steelyard::platform {

// What the user said of it.
struct AuthWish {
  std::string where;       // of the scheme, for errors: "--auth" or "suite.yaml:12:5"
  std::string scheme;      // "" for the platform's own
  std::string key_where;   // "--api-key"
  base::Secret key;        // empty: from the environment
  std::string key_hint;    // how a key is given, for errors: "--api-key, or ..."
  wire::Url url;           // the endpoint's: AWS has its region in its hosts
  bool has_field = false;  // an Authorization field was given by hand
};

// Nothing is asked for over the network. A key in hand goes by the first of the platform's schemes
// that takes one. A scheme that the platform does not take, a key with a control character, and
// malformed files are bad input with their place; so are keys that are nowhere, whose error has no
// place. No error shows a value.
[[nodiscard]] base::Result<Auth> find_auth(const Platform& platform, const AuthWish& wish,
                                           const wire::Environment& environment);

}  // namespace steelyard::platform
