// The part of a run in which nothing of its beginning or its end is seen: caches fill and queues
// build up at first, and once nothing more is sent the last requests have the server for
// themselves.
//
// The beginning ends where cutting more off would make the mean less sure: MSER-5 (White,
// Simulation 69, 1997; batches of five as in White, Cobb & Spratt, Winter Simulation Conference
// 2000), on TTFT and on E2E in order of sending, the later of the two. A minimum at the far end of
// where it may lie means that the run never settled. The end is as many of the last requests as
// were still out at the last send.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "measure/distribution.h"
#include "measure/request_series.h"

namespace steelyard::measure {

struct SteadyState {
  bool found = false;
  std::string_view reason;  // why not; "" when found
  // After the first send.
  double from_s = 0;
  double to_s = 0;
  std::int64_t requests = 0;  // sent within it
  std::int64_t before = 0;    // and before and after it
  std::int64_t after = 0;
  Distribution ttft_ms;  // of those sent within it, from the series: within its error
  Distribution tpot_ms;
  Distribution e2e_ms;
  // Tokens and ends that fall into it, whoever they belong to; an answer's tokens are taken as
  // evenly spread from its first to its end.
  std::optional<double> output_throughput;
  std::optional<double> request_throughput;
};

[[nodiscard]] SteadyState steady_state_of(const RequestSeries& series);

}  // namespace steelyard::measure
