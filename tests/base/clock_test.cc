#include "base/clock.h"

namespace steelyard::base {
namespace {

TEST(Rfc3339, reads_what_platforms_write) {
  const Nanos eight = *parse_rfc3339("2026-12-01T08:00:00Z");
  EXPECT_EQ(iso8601_utc(eight), "2026-12-01T08:00:00Z");
  EXPECT_EQ(parse_rfc3339("2026-12-01T08:00:00.25Z"), eight + 250 * kMillisecond);
  EXPECT_EQ(parse_rfc3339("2026-12-01T08:00:00.1234567899Z"), eight + 123'456'789);
  EXPECT_EQ(parse_rfc3339("2026-12-01T16:00:00+08:00"), eight);
  EXPECT_EQ(parse_rfc3339("2026-12-01t03:30:00-04:30"), eight);
  EXPECT_EQ(parse_rfc3339("1970-01-01T00:00:00Z"), 0);
}

TEST(Rfc3339, refuses_what_is_no_time) {
  for (const std::string_view text :
       {"", "2026", "2026-12-01", "2026-12-01T08:00:00", "2026-13-01T08:00:00Z",
        "2026-02-30T08:00:00Z", "2026-12-01T24:01:00Z", "2026-12-01T08:00:00.Z",
        "2026-12-01T08:00:00Z ", "2026-12-01T08:00:00+0800", "2026-12-01T08:00:00+24:00",
        "1969-12-31T23:59:59Z", "x026-12-01T08:00:00Z"}) {
    EXPECT_FALSE(parse_rfc3339(text)) << text;
  }
}

TEST(BothClocks, lies_within_the_call_on_the_monotonic_line) {
  for (int i = 0; i < 1'000; ++i) {
    const Nanos before = monotonic_now();
    const BothClocks now = both_now();
    const Nanos after = monotonic_now();
    ASSERT_LE(before, now.monotonic);
    ASSERT_LE(now.monotonic, after);
  }
}

TEST(BothClocks, carries_a_wall_stamp_to_the_moment_it_was_taken) {
  // Between two readings of this thread the stamp's own moment must come out, on whichever line.
  const Nanos before = monotonic_now();
  const Nanos stamp = wall_now();
  const Nanos after = monotonic_now();
  const BothClocks now = both_now();
  const Nanos carried = now.monotonic - (now.wall - stamp);
  // A wall clock that is slewed meanwhile (at most 500 ppm, adjtimex(2)) moves it by less than
  // this.
  constexpr Nanos kSlewed = 100 * kMicrosecond;
  EXPECT_GE(carried, before - kSlewed);
  EXPECT_LE(carried, after + kSlewed);
}

}  // namespace
}  // namespace steelyard::base
