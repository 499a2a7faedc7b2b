#include "store/process_mark.h"

#include <fmt/format.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <filesystem>
#include <optional>
#include <vector>

#include "base/file.h"
#include "base/text.h"

namespace steelyard::store {
namespace {

std::string boot_id() {
  return std::string(base::trim(base::read_file("/proc/sys/kernel/random/boot_id").value_or("")));
}

// "pid:[4026531836]"
std::string pid_namespace() {
  std::error_code failed;
  return std::filesystem::read_symlink("/proc/self/ns/pid", failed).string();
}

struct ProcessStat {
  bool gone = false;  // only what its parent has not yet collected of it
  std::string start;  // clock ticks since boot
};

// From /proc/PID/stat, see proc(5); absent where it cannot be read. The second field is the
// program's name in parentheses and may hold anything, so counting begins behind it, with field 3.
std::optional<ProcessStat> stat_of(pid_t pid) {
  const std::string text = base::read_file(fmt::format("/proc/{}/stat", pid)).value_or("");
  const std::size_t name_end = text.rfind(") ");
  if (name_end == std::string::npos) {
    return std::nullopt;
  }
  constexpr std::size_t kState = 0;
  constexpr std::size_t kStart = 22 - 3;
  const auto fields = base::split(std::string_view(text).substr(name_end + 2), ' ');
  if (fields.size() <= kStart) {
    return std::nullopt;
  }
  return ProcessStat{fields[kState] == "Z" || fields[kState] == "X", std::string(fields[kStart])};
}

bool is_alive(pid_t pid, std::string_view start) {
  if (::kill(pid, 0) != 0 && errno == ESRCH) {
    return false;
  }
  const auto found = stat_of(pid);
  return !found || (!found->gone && found->start == start);  // hidden from us: alive
}

}  // namespace

std::string own_process_mark() {
  const auto own = stat_of(::getpid());
  const std::array<std::string, 4> parts = {boot_id(), pid_namespace(),
                                            fmt::format("{}", ::getpid()), own ? own->start : ""};
  return std::ranges::any_of(parts, &std::string::empty) ? "" : base::join(parts, " ");
}

bool has_ended(std::string_view mark) {
  const auto parts = base::split(mark, ' ');
  const std::string boot = boot_id();
  pid_t pid = 0;
  if (parts.size() != 4 || boot.empty() ||
      std::from_chars(parts[2].data(), parts[2].data() + parts[2].size(), pid).ec != std::errc{} ||
      pid <= 0) {
    return false;
  }
  if (parts[0] != boot) {
    return true;  // the machine was started anew since
  }
  return parts[1] == pid_namespace() && !is_alive(pid, parts[3]);
}

}  // namespace steelyard::store
