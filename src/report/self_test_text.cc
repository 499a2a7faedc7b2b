#include "report/self_test_text.h"

#include <fmt/format.h>

namespace steelyard::report {

std::string self_test_text(const measure::SelfTest& test, Language language) {
  const std::string errors =
      fmt::format("TTFT P50 {:+.2f}, P99 {:+.2f} ms, ITL P50 {:+.2f}, P99 {:+.2f} ms",
                  test.ttft.p50_ms, test.ttft.p99_ms, test.itl.p50_ms, test.itl.p99_ms);
  if (language == Language::kChinese) {
    return fmt::format("{} 路流，{:.0f} Token/s：与真值相差 {}", test.streams, test.tokens_per_s,
                       errors);
  }
  return fmt::format("{} streams, {:.0f} tokens/s: {} off the truth", test.streams,
                     test.tokens_per_s, errors);
}

}  // namespace steelyard::report
