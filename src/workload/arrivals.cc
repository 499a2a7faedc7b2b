#include "workload/arrivals.h"

#include <fmt/format.h>

#include <cmath>

#include "workload/limits.h"

namespace steelyard::workload {

base::Result<Arrivals> Arrivals::create(const ArrivalOptions& options, base::Random random) {
  const bool paced = options.rate_rps >= kSlowestRps && options.rate_rps <= kFastestRps;
  if (!paced && options.rate_rps != std::numeric_limits<double>::infinity()) {
    return base::bad_input("--request-rate",
                           fmt::format("a rate of {:g} requests a second", options.rate_rps),
                           fmt::format("from {:.6f} to {:.0f}, or inf", kSlowestRps, kFastestRps));
  }
  if (!(options.burstiness > 0)) {
    return base::bad_input("--burstiness", fmt::format("{} is not a shape", options.burstiness),
                           "a number above 0: 1 is Poisson, inf is constant");
  }
  return Arrivals(options, random);
}

Arrivals::Arrivals(const ArrivalOptions& options, base::Random random)
    : options_(options), random_(random) {}

double Arrivals::gap_s() {
  const double mean = 1 / options_.rate_rps;
  if (std::isinf(options_.rate_rps)) {
    return 0;
  }
  if (std::isinf(options_.burstiness)) {
    return first_ ? 0 : mean;
  }
  if (options_.burstiness == 1) {
    return mean * random_.exponential();
  }
  return mean * random_.gamma(options_.burstiness) / options_.burstiness;
}

base::Nanos Arrivals::next() {
  due_s_ += gap_s();
  first_ = false;
  const double latest_s = base::to_seconds(kLatestDue);
  return due_s_ < latest_s ? base::from_seconds(due_s_) : kLatestDue;
}

}  // namespace steelyard::workload
