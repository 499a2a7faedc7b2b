// What flows through a server within a window of time: answers and tokens a second, and what they
// cost in waiting.
//
// An answer counts as it comes, spread evenly from its first token to its last byte, so that a
// window that begins or ends in the middle of one takes its part of it. Its time with the server
// counts from when it was due. So within the window
//   throughput X = answers / time,   time in the system R = request-seconds / answers (Little),
//   power P = X s / R,               s the share of requests that completed:
// Kleinrock's power (Power and deterministic rules of thumb for probabilistic problems in computer
// communications, ICC 1979), where a caller whose request failed asks again and so waits R / s.
//
// The spread of each comes from the window cut into stretches of at least two times in the system
// each, where that leaves four, and at most ten of them: the jackknife over stretches of the
// logarithm, which is right for ratios of sums (Efron & Stein, Annals of Statistics 9, 1981). Of
// shorter windows it is taken from four all the same: 3 times in the system long, a 95 % interval
// then held in about 9 of 10 made-up runs.
#pragma once

#include <optional>
#include <span>

#include "base/clock.h"
#include "measure/estimate.h"

namespace steelyard::measure {

// One request on its way through the server.
struct Passage {
  base::Nanos due_at = 0;
  base::Nanos first_at = 0;  // its first token; `end_at` where there was none
  base::Nanos end_at = 0;
  bool completed = true;
  float output_tokens = 0;  // 0: not known, or none
};

struct Flow {
  std::optional<Estimate> answers_per_s;
  std::optional<Estimate> output_tokens_per_s;  // absent where no tokens are known
  std::optional<Estimate> power;                // answers / s^2; a value of 0: none was completed
};

// Of `passages`, in any order, what falls into [from, to]. All absent where nothing does.
[[nodiscard]] Flow flow_of(std::span<const Passage> passages, base::Nanos from, base::Nanos to);

}  // namespace steelyard::measure
