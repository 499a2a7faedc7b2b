// The flags that say who asks, and the keys for it.
#pragma once

#include <string>

#include "base/error.h"
#include "platform/auth.h"
#include "platform/platforms.h"
#include "wire/url.h"

namespace CLI {
class App;
}

namespace steelyard::command {

struct AuthFlags {
  std::string scheme;
  std::string api_key;
  std::string api_key_file;
};

void add_flags(CLI::App& command, AuthFlags& flags);

// `has_field`: a header field of the user's says it already.
[[nodiscard]] base::Result<platform::Auth> auth_of(const AuthFlags& flags,
                                                   const platform::Platform& platform,
                                                   const wire::Url& url, bool has_field);

}  // namespace steelyard::command
