// What a workload may ask for at most, wherever it is written down: flags, a suite, a file. Due
// times are 64-bit nanoseconds.
#pragma once

#include <cstdint>

#include "base/clock.h"

namespace steelyard::workload {

inline constexpr std::int64_t kMostTokens = 10'000'000;        // in or out, of one request
inline constexpr std::int64_t kMostInputTokens = 500'000'000;  // of all that are held beforehand
inline constexpr std::int64_t kMostRequests = 10'000'000;
inline constexpr std::int64_t kMostWarmups = 10'000;
inline constexpr std::int64_t kMostAtOnce = 1'000'000;
inline constexpr double kSlowestRps = 1e-6;  // one in eleven days
inline constexpr double kFastestRps = 1e9;
inline constexpr double kMostTimeScale = 1e6;
inline constexpr base::Nanos kLatestDue = 100LL * 366 * 86'400 * base::kSecond;

}  // namespace steelyard::workload
