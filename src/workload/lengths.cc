#include "workload/lengths.h"

#include <fmt/format.h>

#include <algorithm>

namespace steelyard::workload {

base::Result<LengthRange> length_range(std::int64_t tokens, double ratio, RangeStyle style) {
  if (tokens < 1) {
    return base::bad_input("length", fmt::format("{} tokens cannot be sent or asked for", tokens),
                           "at least 1");
  }
  const bool vllm = style == RangeStyle::kVllm;
  const bool allowed = vllm ? ratio >= 0 && ratio < 1 : ratio > 0 && ratio <= 1;
  if (!allowed) {
    return base::bad_input("--random-range-ratio", fmt::format("{} is out of bounds", ratio),
                           vllm ? "from 0 up to but not 1 in vLLM's sense (L-rL to L+rL)"
                                : "above 0 up to 1 in SGLang's sense (rL to L)");
  }
  const auto scaled = [&](double factor) {
    return std::max<std::int64_t>(
        1, static_cast<std::int64_t>(factor * static_cast<double>(tokens) + 1e-9));
  };
  return vllm ? LengthRange{scaled(1 - ratio), scaled(1 + ratio)}
              : LengthRange{scaled(ratio), tokens};
}

}  // namespace steelyard::workload
