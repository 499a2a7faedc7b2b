#include "base/clock.h"

#include <array>
#include <ctime>

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

}  // namespace steelyard::base
