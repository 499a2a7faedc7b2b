// A rate over time and its integral. Arrivals of any rate come from gaps of mean one by asking when
// the integral has grown by each gap (time rescaling), which is exact: no step, no thinning, and
// nothing is stretched afterwards to end at a given count.
#pragma once

#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"

namespace steelyard::workload {

struct RatePiece {
  double duration_s = std::numeric_limits<double>::infinity();
  double from_rps = 0;
  double to_rps = 0;
  bool exponential = false;  // else linear in time; both ends are then above 0
};

class RateCurve {
 public:
  // Pieces one after the other. Only the last may go on for ever, and is constant then.
  explicit RateCurve(const std::vector<RatePiece>& pieces);

  // Requests expected from the start up to `at_s`.
  [[nodiscard]] double expected_by(double at_s) const;
  // The first moment by which so many are expected, in seconds; absent when they never will be.
  [[nodiscard]] std::optional<double> reached_at(double expected) const;
  // Whether the curve ends, so that nothing comes after it.
  [[nodiscard]] bool ends() const;

 private:
  struct Placed {
    RatePiece rate;
    double begin_s = 0;
    double before = 0;  // expected up to its begin
    double area = 0;    // expected within it
  };
  std::vector<Placed> pieces_;
};

// How long a ramp takes until `expected` requests are due, were its ends kept.
[[nodiscard]] double ramp_duration_s(const RatePiece& ramp, double expected);

// "60s@5/s, 2min@5..20/s, 30s@0": how long at which rate, or from one rate evenly to another.
// `where` stands in the error.
[[nodiscard]] base::Result<std::vector<RatePiece>> parse_stages(const std::string& where,
                                                                std::string_view text);

}  // namespace steelyard::workload
