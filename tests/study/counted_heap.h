#pragma once

#include <cstdint>

namespace steelyard::study {

// How often the calling thread has asked for memory by any form of new but the aligned ones.
[[nodiscard]] std::int64_t allocations_here();

}  // namespace steelyard::study
