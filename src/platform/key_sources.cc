#include "platform/key_sources.h"

#include <fmt/format.h>

#include <filesystem>
#include <utility>

#include "base/file.h"
#include "base/text.h"

namespace steelyard::platform {
namespace {

using Found = base::Result<std::optional<KeySet>>;

// `value` gives a name's value, "" where there is none; `place` says where it should stand.
template <typename Value, typename Place>
Found key_set(const KeyNames& names, Value value, Place place) {
  KeySet keys{value(names.id), base::Secret(value(names.secret)), {}, place(names.id)};
  if (keys.id.empty() && keys.secret.empty()) {
    return std::optional<KeySet>();
  }
  if (keys.id.empty() || keys.secret.empty()) {
    const bool no_id = keys.id.empty();
    return base::bad_input(place(no_id ? names.secret : names.id),
                           fmt::format("{} is not set, and {} is", no_id ? names.id : names.secret,
                                       no_id ? names.secret : names.id),
                           "both or neither");
  }
  for (const std::string& token : names.tokens) {
    if (keys.token.empty()) {
      keys.token = base::Secret(value(token));
    }
  }
  return std::optional(std::move(keys));
}

}  // namespace

Found keys_of_environment(const wire::Environment& environment, const KeyNames& names) {
  const auto value = [&](const std::string& name) {
    return std::string(base::trim(environment(name)));
  };
  return key_set(names, value, [](const std::string& name) { return name; });
}

Found keys_of_section(const base::IniFile& file, const base::IniFile::Section& at,
                      const KeyNames& names) {
  const auto value = [&](const std::string& name) {
    const auto found = at.find(name);
    return found == at.end() ? std::string() : found->second.value;
  };
  const auto place = [&](const std::string& name) {
    const auto found = at.find(name);
    return found == at.end() ? file.name() : file.place(found->second.line);
  };
  return key_set(names, value, place);
}

std::string under_home(const wire::Environment& environment, const std::string& path) {
  const std::string home = environment("HOME");
  return home.empty() ? "" : home + "/" + path;
}

base::Result<std::optional<base::IniFile>> ini_if_any(const std::string& path) {
  std::error_code failed;
  if (path.empty() || !std::filesystem::exists(path, failed)) {
    return std::optional<base::IniFile>();
  }
  return base::read_file(path)
      .and_then([&](const std::string& text) { return base::IniFile::parse(path, text); })
      .map([](base::IniFile file) { return std::optional(std::move(file)); });
}

tl::unexpected<base::Error> Looked::found_none(const std::string& what, std::string hint) const {
  return base::bad_input("", fmt::format("no {}: {}", what, base::join(places_, ", ")),
                         std::move(hint));
}

}  // namespace steelyard::platform
