// The chunks of one stream as bytes. A run of a day has millions of them; most come some tens of
// milliseconds after the last, and four bytes say so.
//
// For each chunk two LEB128 numbers: the time since the chunk before (the first: since the origin),
// zigzagged, as a kernel stamp may lie before one taken in user space; and tokens * 8 + kind.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "measure/event_log.h"

namespace steelyard::store {

[[nodiscard]] std::string encode_chunks(base::Nanos origin,
                                        std::span<const measure::ChunkEvent> chunks);
// Just what was encoded with that origin; absent when the bytes are no such thing.
[[nodiscard]] std::optional<std::vector<measure::ChunkEvent>> decode_chunks(base::Nanos origin,
                                                                            std::string_view bytes);

}  // namespace steelyard::store
