// The knee of a throughput-latency curve: the load up to which more load buys more throughput than
// it costs in waiting, by shares, and beyond which it does not. That is where power (flow.h),
// throughput over time in the system, is greatest: at the number of slots of a server with slots;
// where a step of a batching server takes twice as long as with nobody else; at half the capacity
// of M/M/1 (Kleinrock, ICC 1979; Gail & Kleinrock, An invariant property of computer network power,
// ICC 1981). Unlike a chord's distance from the curve (Satopaa et al., Kneedle, ICDCS Workshops
// 2011) it does not move with the range of loads that happened to be tried, nor with units.
//
// What is known of it: each load that some other surely beats is out (Student's t of the difference
// of logarithms, Welch's degrees of freedom; the chance of 5 % is divided among the comparisons, so
// that the best of those tried stays in with 95 %: Gupta's subset selection, Technometrics 7,
// 1965). Taking for granted that power rises up to one load and falls after it, the knee lies
// between the neighbours of what is left. Where these reach the end of what was tried there is no
// knee to name.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "measure/estimate.h"

namespace steelyard::measure {

struct Knee {
  enum class Answer : std::uint8_t {
    kFound,
    kTooFewLoads,   // a load on either side of it is needed
    kStillRising,   // the largest load has the most power: no saturation was seen
    kFalling,       // the smallest has: it was saturated throughout
    kNotToldApart,  // the best is between, but the end of what was tried may be as good
  };
  Answer answer = Answer::kTooFewLoads;
  std::optional<std::size_t> best;  // the load of the greatest power; the knee, where it was found
  // It is above the one and below the other; absent: the end of what was tried may be it.
  std::optional<std::size_t> above;
  std::optional<std::size_t> below;
};
// "found", "too_few_loads", "still_rising", "falling", "not_told_apart".
[[nodiscard]] const char* name_of(Knee::Answer answer);

inline constexpr std::size_t kFewestLoads = 3;

// `powers` in order of load, each load once. `from_least`: there is no load below the first, as
// there is none below one request at once.
[[nodiscard]] Knee knee_of(std::span<const Estimate> powers, bool from_least);

}  // namespace steelyard::measure
