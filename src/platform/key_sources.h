// What the search for a cloud's keys has in common: two or three variables, or as many keys of an
// INI file, of which all but the token must be there. Private to credentials*.cc.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/ini.h"
#include "base/secret.h"
#include "wire/proxy.h"

namespace steelyard::platform {

struct KeyNames {
  std::string id;
  std::string secret;
  std::vector<std::string> tokens;  // the first that is set
};

struct KeySet {
  std::string id;
  base::Secret secret;
  base::Secret token;  // may be empty
  std::string from;
};

// Absent where none of the variables is set. One without the other is bad input.
[[nodiscard]] base::Result<std::optional<KeySet>> keys_of_environment(
    const wire::Environment& environment, const KeyNames& names);

// The same of a section.
[[nodiscard]] base::Result<std::optional<KeySet>> keys_of_section(const base::IniFile& file,
                                                                  const base::IniFile::Section& at,
                                                                  const KeyNames& names);

// "/home/me/.aws/credentials" for ".aws/credentials"; "" without a home.
[[nodiscard]] std::string under_home(const wire::Environment& environment, const std::string& path);

// Absent where there is no such file; one that cannot be read or is no INI file is bad input.
[[nodiscard]] base::Result<std::optional<base::IniFile>> ini_if_any(const std::string& path);

// The places that were looked at, for the error where none had anything.
class Looked {
 public:
  void at(std::string place) { places_.push_back(std::move(place)); }
  // "no keys of AWS: AWS_ACCESS_KEY_ID is not set, ~/.aws/credentials is not there"
  [[nodiscard]] tl::unexpected<base::Error> found_none(const std::string& what,
                                                       std::string hint) const;

 private:
  std::vector<std::string> places_;
};

}  // namespace steelyard::platform
