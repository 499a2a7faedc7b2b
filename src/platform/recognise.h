// Which dialect a stream is in, from its events alone.
#pragma once

#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "platform/dialect.h"

namespace steelyard::platform {

// Every dialect whose streams can be read, each once, the commoner first.
[[nodiscard]] std::span<const Dialect* const> dialects();

struct SeenEvent {
  std::string_view type;
  std::string_view data;
};

// The dialect that knows most of the events; of those that know as many, the one that finds the
// most tokens; then the commoner. Null where none knows any.
[[nodiscard]] const Dialect* recognise(std::span<const SeenEvent> events);
// The same of a whole answer.
[[nodiscard]] const Dialect* recognise_whole(std::string_view body);

}  // namespace steelyard::platform
