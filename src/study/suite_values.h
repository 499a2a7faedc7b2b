// Values of a suite as the readers of its parts take them (base/yaml_values.h says how).
#pragma once

#include <string>
#include <string_view>

#include "base/yaml_reader.h"
#include "base/yaml_values.h"

namespace steelyard::study {

// Text that stands on one line wherever it is shown: line breaks become spaces, and what could
// move a terminal's cursor or turn its text around is refused. "" when absent.
[[nodiscard]] std::string maybe_line(base::YamlMap& map, std::string_view key);
// The same, and it is not empty.
[[nodiscard]] std::string line(base::YamlMap& map, std::string_view key);

// The code, from a code or a sign: "USD", "元".
[[nodiscard]] std::string currency(base::YamlMap& map, const base::YamlText& text);

}  // namespace steelyard::study
