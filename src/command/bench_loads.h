// `bench` of many loads: sweeps, and the search for the largest that meets the SLA.
#pragma once

#include "command/bench_options.h"
#include "command/bench_start.h"
#include "command/signals.h"

namespace steelyard::command {

// Gives the exit code: 1 when nothing meets the SLA, or nothing was ever answered.
[[nodiscard]] base::Result<int> bench_loads(const BenchOptions& options, Bench& bench,
                                            const StartOptions& before, const SignalWatch& signals);

}  // namespace steelyard::command
