// The table of platforms: by the name that a person gives, how each is spoken to.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "base/error.h"
#include "platform/auth.h"
#include "platform/dialect.h"

namespace steelyard::platform {

// How it is told who asks.
struct PlatformAuth {
  std::span<const Scheme> schemes;  // that it takes; the first is meant where none is named
  std::span<const std::string_view> variables;  // of the environment, where a key is looked for
  bool optional = false;                        // some of its servers ask for no key
  std::string_view service;                     // as signatures name it
};

struct Platform {
  std::string_view name;   // as --platform and a suite have it
  std::string_view title;  // as it is written
  // Null where it has none: its own protocol, and OpenAI's two.
  const Dialect* native;
  const Dialect* chat;
  const Dialect* completions;
  PlatformAuth auth;
};

[[nodiscard]] std::span<const Platform> platforms();
// "openai, tgi, ..."
[[nodiscard]] std::string platform_names();
// `where`: the flag or the place in the suite.
[[nodiscard]] base::Result<const Platform*> platform_named(const std::string& where,
                                                           std::string_view name);

// `type`: "chat", "completions", "native", or "" for the platform's first.
[[nodiscard]] base::Result<const Dialect*> dialect_of(const Platform& platform,
                                                      const std::string& where,
                                                      std::string_view type);

}  // namespace steelyard::platform
