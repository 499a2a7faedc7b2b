// When requests are due, in nanoseconds after the start. Gaps add up on one absolute line and are
// never rescaled to end at n/rate: rescaling takes the variance of the count away, and with it the
// tail of the latencies.
#pragma once

#include <limits>

#include "base/clock.h"
#include "base/error.h"
#include "base/random.h"

namespace steelyard::workload {

struct ArrivalOptions {
  // Requests a second; infinity sends everything at once.
  double rate_rps = std::numeric_limits<double>::infinity();
  // Shape of the gamma-distributed gaps, in vLLM's sense: 1 is Poisson, below 1 burstier, above 1
  // more even, infinity constant.
  double burstiness = 1;
};

class Arrivals {
 public:
  // A rate outside kSlowestRps to kFastestRps (limits.h) that is not infinite, and a burstiness
  // that is not above zero, are bad input.
  [[nodiscard]] static base::Result<Arrivals> create(const ArrivalOptions& options,
                                                     base::Random random);
  // The first is due one gap after the start, except for constant and unbounded rates: at once.
  // Never descends; what would be later than kLatestDue is due then.
  base::Nanos next();

 private:
  Arrivals(const ArrivalOptions& options, base::Random random);
  double gap_s();

  ArrivalOptions options_;
  base::Random random_;
  double due_s_ = 0;
  bool first_ = true;
};

}  // namespace steelyard::workload
