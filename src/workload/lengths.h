// Lengths in tokens, drawn evenly between two ends around a mean.
#pragma once

#include <cstdint>

#include "base/error.h"
#include "base/random.h"

namespace steelyard::workload {

// The same flag means two things among the tools, so it is named which.
enum class RangeStyle : std::uint8_t {
  kVllm,    // ratio r in [0, 1): from (1 - r) L to (1 + r) L
  kSglang,  // ratio r in (0, 1]: from r L to L
};

struct LengthRange {
  std::int64_t low = 0;
  std::int64_t high = 0;
};

// Ends rounded down and at least 1 token. A length below 1 or a ratio outside its style's bounds is
// bad input.
[[nodiscard]] base::Result<LengthRange> length_range(std::int64_t tokens, double ratio,
                                                     RangeStyle style);

[[nodiscard]] inline std::int64_t draw(const LengthRange& range, base::Random& random) {
  return random.integer(range.low, range.high);
}

}  // namespace steelyard::workload
