#include "command/auth_flags.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "base/file.h"
#include "base/text.h"
#include "platform/find_auth.h"

namespace steelyard::command {

void add_flags(CLI::App& command, AuthFlags& flags) {
  command.add_option("--auth", flags.scheme,
                     fmt::format("how it is told who asks, where it is not the platform's own way: "
                                 "{}",
                                 platform::scheme_names(platform::all_schemes())));
  command.add_option("--api-key", flags.api_key,
                     "the key, never shown (default: the platform's own variable, OPENAI_API_KEY "
                     "for a server of your own; what signs takes the cloud's usual keys)");
  command.add_option("--api-key-file", flags.api_key_file, "file that holds the key alone");
}

namespace {

base::Result<base::Secret> key_of(const AuthFlags& flags) {
  if (flags.api_key_file.empty()) {
    return base::Secret(flags.api_key);
  }
  if (!flags.api_key.empty()) {
    return base::bad_input("--api-key-file", "a key is given by --api-key too", "one of them");
  }
  return base::read_file(flags.api_key_file)
      .and_then([&](const std::string& text) -> base::Result<base::Secret> {
        const std::string key(base::trim(text));
        return key.empty() ? base::Result<base::Secret>(
                                 base::bad_input(flags.api_key_file, "no key is in it"))
                           : base::Secret(key);
      });
}

}  // namespace

base::Result<platform::Auth> auth_of(const AuthFlags& flags, const platform::Platform& platform,
                                     const wire::Url& url, bool has_field) {
  return key_of(flags).and_then([&](base::Secret key) {
    platform::AuthWish wish;
    wish.where = "--auth";
    wish.scheme = flags.scheme;
    wish.key_where = flags.api_key_file.empty() ? "--api-key" : flags.api_key_file;
    wish.key = std::move(key);
    wish.key_hint = "--api-key, --api-key-file, or --auth none";
    wish.url = url;
    wish.has_field = has_field;
    return platform::find_auth(platform, wish, wire::process_environment());
  });
}

}  // namespace steelyard::command
