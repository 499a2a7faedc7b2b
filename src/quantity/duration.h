// Durations as people write them. The unit is never left out: 500 alone could be anything.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/error.h"
#include "base/yaml_reader.h"

namespace steelyard::quantity {

// "500ms", "1.5 s", "35us", "2min", "2h", "7d"; not negative, at most 100 years. `where` stands in
// the error.
[[nodiscard]] base::Result<base::Nanos> parse_duration(const std::string& where,
                                                       std::string_view text);

// The value of a key, 0 with a complaint in the map where it is no duration, absent where it is not
// given.
[[nodiscard]] std::optional<base::Nanos> maybe_duration(base::YamlMap& map, std::string_view key);

// In the largest unit that keeps the number at or above one, exactly: "1.5s", "500ms", "0s".
// parse_duration gives the same nanoseconds back.
[[nodiscard]] std::string to_text(base::Nanos duration);

}  // namespace steelyard::quantity
