// Values of a suite as the readers of its parts take them: a wrong one is complained about at its
// place, and a stand-in goes on, so that the first complaint is about the user's first mistake.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/yaml_reader.h"

namespace steelyard::study {

inline void complain(base::YamlMap& map, std::string where, std::string what,
                     std::string hint = {}) {
  map.complain({base::ErrorCode::kBadInput, std::move(where), std::move(what), std::move(hint)});
}

// The value, or the complaint recorded and a stand-in.
template <typename Value>
Value or_complain(base::YamlMap& map, base::Result<Value> read, Value stand_in) {
  if (read) {
    return std::move(*read);
  }
  map.complain(read.error());
  return stand_in;
}

// Text that stands on one line wherever it is shown: line breaks become spaces, and what could
// move a terminal's cursor or turn its text around is refused. "" when absent.
[[nodiscard]] std::string maybe_line(base::YamlMap& map, std::string_view key);
// The same, and it is not empty.
[[nodiscard]] std::string line(base::YamlMap& map, std::string_view key);

[[nodiscard]] std::optional<base::Nanos> maybe_duration(base::YamlMap& map, std::string_view key);

[[nodiscard]] std::int64_t count(base::YamlMap& map, std::string_view key, std::int64_t otherwise,
                                 std::int64_t least,
                                 std::int64_t most = std::numeric_limits<std::int64_t>::max());

// The code, from a code or a sign: "USD", "元".
[[nodiscard]] std::string currency(base::YamlMap& map, const base::YamlText& text);

}  // namespace steelyard::study
