#include "command/progress.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/text.h"
#include "command/command.h"

namespace steelyard::command {
namespace {

constexpr base::Nanos kPlainInterval = 10 * base::kSecond;

std::string time_left(const study::Progress& progress, base::Nanos now) {
  if (progress.began_at == 0) {
    return "connecting";
  }
  if (progress.ended == 0) {
    return "waiting";
  }
  if (!progress.planned) {
    return fmt::format("{:.0f} s", base::to_seconds(now - progress.began_at));
  }
  const double elapsed = base::to_seconds(now - progress.began_at);
  const double share =
      std::min(1.0, static_cast<double>(progress.ended) / static_cast<double>(*progress.planned));
  return fmt::format("{:.0f} s left", share > 0 ? elapsed * (1 - share) / share : 0);
}

std::string ms(const std::optional<base::Nanos>& value) {
  if (!value) {
    return "-";
  }
  const double shown = base::to_ms(*value);
  return shown < 1000 ? fmt::format("{:.3g}", shown) : fmt::format("{:.0f}", shown);
}

std::size_t columns() {
  winsize size{};
  return ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
}

}  // namespace

std::string describe(const study::Progress& progress, base::Nanos now) {
  return fmt::format(
      "{} · sent {}{} · ok {} · missed {} · TTFT P50 {} P99 {} ms · send lag P99 {} ms",
      time_left(progress, now), progress.sent,
      progress.planned ? fmt::format("/{}", *progress.planned) : "", progress.completed,
      progress.missed, ms(progress.ttft_p50), ms(progress.ttft_p99), ms(progress.send_lag_p99));
}

std::string describe(const study::LoadStudy::Where& where, base::Nanos now) {
  std::string text = where.text;
  if (where.spent) {
    text += " · " + where.spent->rounded(4).to_text();
  }
  return where.progress ? text + " · " + describe(*where.progress, now) : text;
}

ProgressLine::ProgressLine(bool quiet) : quiet_(quiet), terminal_(isatty(STDERR_FILENO) == 1) {}
ProgressLine::~ProgressLine() { wipe(); }

void ProgressLine::wipe() {
  if (shown_) {
    print_error("\r\x1b[K");
    shown_ = false;
  }
}

void ProgressLine::show(const std::string& text) {
  if (quiet_) {
    return;
  }
  if (terminal_) {
    print_error("\r\x1b[K" + base::shorten(text, columns() - 1));
    shown_ = true;
    return;
  }
  const base::Nanos now = base::monotonic_now();
  if (last_ == 0) {
    last_ = now;  // a short run stays silent
  } else if (now - last_ >= kPlainInterval) {
    last_ = now;
    print_error(text + "\n");
  }
}

}  // namespace steelyard::command
