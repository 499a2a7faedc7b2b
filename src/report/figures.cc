#include "report/figures.h"

#include <fmt/format.h>

namespace steelyard::report {

std::string number(const std::optional<double>& value) {
  if (!value) {
    return "-";
  }
  if (*value >= 1e6) {
    return fmt::format("{:.4g} M", *value / 1e6);
  }
  if (*value >= 1e4) {
    return fmt::format("{:.0f}", *value);
  }
  return fmt::format("{:.4g}", *value);
}

std::string percentile_text(const std::optional<measure::Percentile>& percentile) {
  return percentile ? number(percentile->value) + (percentile->n_too_small() ? "!" : "") : "-";
}

}  // namespace steelyard::report
