// When requests are due, in nanoseconds after the start. Gaps of mean one are laid along the
// integral of the rate (rate_curve.h) and never rescaled to end at n/rate: rescaling takes the
// variance of the count away, and with it the tail of the latencies.
#pragma once

#include <cmath>
#include <limits>
#include <optional>
#include <vector>

#include "base/clock.h"
#include "base/error.h"
#include "base/random.h"
#include "workload/rate_curve.h"

namespace steelyard::workload {

// From one rate to another; then it stays at the last.
struct Ramp {
  double start_rps = 0;
  double end_rps = 0;
  bool exponential = false;           // else linear, both in time
  std::optional<base::Nanos> over{};  // absent: until all requests of the run are expected
};

struct ArrivalOptions {
  // Requests a second; infinity sends everything at once. Not used with a ramp or stages.
  double rate_rps = std::numeric_limits<double>::infinity();
  // Shape of the gamma-distributed gaps, in vLLM's sense: 1 is Poisson, below 1 burstier, above 1
  // more even, infinity constant.
  double burstiness = 1;
  std::optional<Ramp> ramp{};
  // One after the other; nothing comes after the last. Empty: none.
  std::vector<RatePiece> stages{};

  // Whether there is a schedule at all.
  [[nodiscard]] bool paced() const {
    return std::isfinite(rate_rps) || ramp.has_value() || !stages.empty();
  }
};

class Arrivals {
 public:
  // A rate outside kSlowestRps to kFastestRps (limits.h) that is not infinite, a burstiness that is
  // not above zero, and more than one of rate, ramp and stages are bad input. `count` is how many
  // requests a ramp without a time of its own is for; where it has neither, that is bad input too.
  [[nodiscard]] static base::Result<Arrivals> create(const ArrivalOptions& options,
                                                     base::Random random,
                                                     std::optional<std::int64_t> count = {});
  // The first is due one gap after the start, except for constant and unbounded rates: at once.
  // Never descends; what would be later than kLatestDue is due then. Absent: the stages are over.
  std::optional<base::Nanos> next();
  [[nodiscard]] bool ends() const { return curve_ && curve_->ends(); }

 private:
  Arrivals(double burstiness, std::optional<RateCurve> curve, base::Random random);
  double gap();

  double burstiness_;
  std::optional<RateCurve> curve_;  // absent: at once
  base::Random random_;
  double expected_ = 0;
  bool first_ = true;
};

}  // namespace steelyard::workload
