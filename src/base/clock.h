// Time. One monotonic line in nanoseconds for everything that is measured (the wall clock may be
// stepped during a run), and wall time only for stamps that people read.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace steelyard::base {

// Nanoseconds on CLOCK_MONOTONIC. Signed, so that differences are plain subtraction.
using Nanos = std::int64_t;

inline constexpr Nanos kMicrosecond = 1'000;
inline constexpr Nanos kMillisecond = 1'000'000;
inline constexpr Nanos kSecond = 1'000'000'000;

[[nodiscard]] Nanos monotonic_now();
// Nanoseconds since 1970 on CLOCK_REALTIME; kernel socket stamps are on this line.
[[nodiscard]] Nanos wall_now();

// One moment on both lines, to carry a stamp from one over to the other.
struct BothClocks {
  Nanos monotonic;
  Nanos wall;
};
// Read several times where this thread was held up between the two; the tightest reading counts.
[[nodiscard]] BothClocks both_now();

// CPU time (user + system) of this process and of the calling thread.
[[nodiscard]] Nanos process_cpu_now();
[[nodiscard]] Nanos thread_cpu_now();

// "2026-12-01T08:00:00Z"
[[nodiscard]] std::string iso8601_utc(Nanos wall);

// The same without what divides it, for names: "20261201T080000Z"
[[nodiscard]] std::string compact_utc(Nanos wall);

// Nanoseconds since 1970 of "2026-12-01T08:00:00.25Z", with an offset such as +08:00 in the Z's
// place too (RFC 3339); absent for what is none.
[[nodiscard]] std::optional<Nanos> parse_rfc3339(std::string_view text);

[[nodiscard]] inline double to_ms(Nanos t) { return static_cast<double>(t) / 1e6; }
[[nodiscard]] inline double to_seconds(Nanos t) { return static_cast<double>(t) / 1e9; }
[[nodiscard]] inline Nanos from_seconds(double s) { return static_cast<Nanos>(s * 1e9); }

}  // namespace steelyard::base
