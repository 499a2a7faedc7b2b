#include "base/clock.h"

#include <array>
#include <charconv>
#include <ctime>
#include <limits>

namespace steelyard::base {

namespace {
Nanos read_clock(clockid_t id) {
  timespec t{};
  clock_gettime(id, &t);
  return static_cast<Nanos>(t.tv_sec) * kSecond + t.tv_nsec;
}
}  // namespace

Nanos monotonic_now() { return read_clock(CLOCK_MONOTONIC); }
Nanos wall_now() { return read_clock(CLOCK_REALTIME); }

BothClocks both_now() {
  constexpr int kTries = 8;
  BothClocks best{};
  Nanos tightest = std::numeric_limits<Nanos>::max();
  Nanos before = monotonic_now();
  for (int i = 0; i < kTries && tightest >= kMicrosecond; ++i) {
    const Nanos wall = wall_now();
    const Nanos after = monotonic_now();
    if (after - before < tightest) {
      tightest = after - before;
      best = {before + tightest / 2, wall};
    }
    before = after;
  }
  return best;
}

Nanos process_cpu_now() { return read_clock(CLOCK_PROCESS_CPUTIME_ID); }
Nanos thread_cpu_now() { return read_clock(CLOCK_THREAD_CPUTIME_ID); }

std::string iso8601_utc(Nanos wall) {
  const std::time_t seconds = wall / kSecond;
  std::tm parts{};
  gmtime_r(&seconds, &parts);
  std::array<char, 32> text{};
  const std::size_t n = std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%SZ", &parts);
  return {text.data(), n};
}

std::string compact_utc(Nanos wall) {
  std::string text = iso8601_utc(wall);
  std::erase_if(text, [](char c) { return c == '-' || c == ':'; });
  return text;
}

namespace {

// Takes `digits` digits off the front; -1 when they are not there.
int take_number(std::string_view& text, std::size_t digits) {
  int number = 0;
  const std::string_view head = text.substr(0, digits);
  const bool all = head.size() == digits && head.find_first_not_of("0123456789") == head.npos;
  std::from_chars(head.data(), head.data() + head.size(), number);
  text.remove_prefix(head.size());
  return all ? number : -1;
}

bool take_one_of(std::string_view& text, std::string_view marks) {
  const bool there = !text.empty() && marks.find(text.front()) != marks.npos;
  text.remove_prefix(there ? 1 : 0);
  return there;
}

// ".25"; digits beyond the ninth are finer than a nanosecond.
std::optional<Nanos> take_fraction(std::string_view& text) {
  if (!take_one_of(text, ".")) {
    return 0;
  }
  Nanos nanos = 0;
  Nanos unit = kSecond;
  std::size_t digits = 0;
  for (; digits < text.size() && text[digits] >= '0' && text[digits] <= '9'; ++digits) {
    unit /= 10;
    nanos += (text[digits] - '0') * unit;
  }
  text.remove_prefix(digits);
  return digits > 0 ? std::optional(nanos) : std::nullopt;
}

// "Z", "+08:00": how far that clock is ahead.
std::optional<Nanos> take_offset(std::string_view& text) {
  if (take_one_of(text, "Zz")) {
    return 0;
  }
  const bool west = text.starts_with('-');
  if (!take_one_of(text, "+-")) {
    return std::nullopt;
  }
  const int hours = take_number(text, 2);
  const bool colon = take_one_of(text, ":");
  const int minutes = take_number(text, 2);
  if (!colon || hours < 0 || hours > 23 || minutes < 0 || minutes > 59) {
    return std::nullopt;
  }
  const Nanos ahead = (Nanos{hours} * 60 + minutes) * 60 * kSecond;
  return west ? -ahead : ahead;
}

}  // namespace

std::optional<Nanos> parse_rfc3339(std::string_view text) {
  std::tm parts{};
  parts.tm_year = take_number(text, 4) - 1900;
  bool marks = take_one_of(text, "-");
  parts.tm_mon = take_number(text, 2) - 1;
  marks = take_one_of(text, "-") && marks;
  parts.tm_mday = take_number(text, 2);
  marks = take_one_of(text, "Tt ") && marks;
  parts.tm_hour = take_number(text, 2);
  marks = take_one_of(text, ":") && marks;
  parts.tm_min = take_number(text, 2);
  marks = take_one_of(text, ":") && marks;
  parts.tm_sec = take_number(text, 2);
  const auto fraction = take_fraction(text);
  const auto ahead = take_offset(text);
  const std::tm asked = parts;
  // Years that nanoseconds since 1970 can say; timegm sets right what is no date, which then
  // differs.
  if (!marks || !fraction || !ahead || !text.empty() || parts.tm_year < 70 || parts.tm_year > 300 ||
      parts.tm_hour < 0 || parts.tm_min < 0 || parts.tm_sec < 0) {
    return std::nullopt;
  }
  const std::time_t seconds = timegm(&parts);
  if (parts.tm_mon != asked.tm_mon || parts.tm_mday != asked.tm_mday ||
      parts.tm_hour != asked.tm_hour || parts.tm_min != asked.tm_min) {
    return std::nullopt;
  }
  return seconds * kSecond + *fraction - *ahead;
}

}  // namespace steelyard::base
