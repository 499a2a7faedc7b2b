// Any text is stages whose rate can be followed to its end, or a think time, or errors.
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "workload/rate_curve.h"
#include "workload/sessions.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace steelyard;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  if (const auto stages = workload::parse_stages("f", text)) {
    const workload::RateCurve curve(*stages);
    const double all = curve.expected_by(1e12);
    double before = 0;
    for (int i = 1; i <= 8; ++i) {
      const auto at = curve.reached_at(all * i / 8 * (1 - 1e-12));
      if (!at || !(*at >= before) || !std::isfinite(*at)) {
        std::abort();
      }
      before = *at;
    }
  }
  if (const auto think = workload::parse_think_time("f", text)) {
    base::Random random(size);
    if (think->draw(random) < 0) {
      std::abort();
    }
  }
  return 0;
}
