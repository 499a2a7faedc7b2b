#include "base/yaml_values.h"

#include <fmt/format.h>

namespace steelyard::base {

std::int64_t count(YamlMap& map, std::string_view key, std::int64_t otherwise, std::int64_t least,
                   std::int64_t most) {
  const std::int64_t value = map.maybe_integer(key).value_or(otherwise);
  if (value >= least && value <= most) {
    return value;
  }
  const bool bounded = most != std::numeric_limits<std::int64_t>::max();
  complain(map, map.where(key), fmt::format("{} is {}", key, value),
           bounded ? fmt::format("from {} to {}", least, most) : fmt::format("{} or more", least));
  return least;
}

}  // namespace steelyard::base
