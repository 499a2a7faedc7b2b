// Any bytes are a duration, an SLA term or a rate, which print as what reads back the same, or
// errors.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "quantity/duration.h"
#include "quantity/rate.h"
#include "quantity/sla.h"

namespace {

bool same(const steelyard::quantity::SlaTerm& left, const steelyard::quantity::SlaTerm& right) {
  return left.metric == right.metric && left.statistic == right.statistic &&
         left.percentile == right.percentile && left.threshold == right.threshold;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace steelyard::quantity;
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  if (const auto duration = parse_duration("", bytes)) {
    if (parse_duration("", to_text(*duration)) != *duration) {
      std::abort();
    }
  }
  for (const auto& term : {parse_sla_term("", bytes), parse_goodput_term("", bytes)}) {
    if (!term) {
      continue;
    }
    const auto again = parse_sla_term("", to_text(*term));
    if (!again || !same(*again, *term)) {
      std::abort();
    }
  }
  if (const auto rate = parse_rate("", bytes); rate && !(*rate > 0)) {
    std::abort();
  }
  return 0;
}
