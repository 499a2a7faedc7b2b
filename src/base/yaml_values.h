// Values of a YAML file as its readers take them: a wrong one is complained about at its place, and
// a stand-in goes on, so that the first complaint is about the user's first mistake.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>

#include "base/yaml_reader.h"

namespace steelyard::base {

inline void complain(YamlMap& map, std::string where, std::string what, std::string hint = {}) {
  map.complain({ErrorCode::kBadInput, std::move(where), std::move(what), std::move(hint)});
}

// The value, or the complaint recorded and a stand-in.
template <typename Value>
Value or_complain(YamlMap& map, Result<Value> read, Value stand_in) {
  if (read) {
    return std::move(*read);
  }
  map.complain(read.error());
  return stand_in;
}

// A whole number within its bounds, both included; absent gives `otherwise`.
[[nodiscard]] std::int64_t count(YamlMap& map, std::string_view key, std::int64_t otherwise,
                                 std::int64_t least,
                                 std::int64_t most = std::numeric_limits<std::int64_t>::max());

}  // namespace steelyard::base
