// Work on a thread of its own, while this one shows how it goes and listens for Ctrl-C.
#pragma once

#include <atomic>
#include <functional>
#include <optional>
#include <thread>

#include "base/error.h"
#include "command/progress.h"
#include "command/signals.h"

namespace steelyard::command {

// `stop` is called at each Ctrl-C, `text` twice a second; both while `work` runs. What `work`
// throws becomes an environment error: it must not leave its thread.
template <typename Value>
base::Result<Value> watched(const SignalWatch& signals, ProgressLine& line,
                            const std::function<base::Result<Value>()>& work,
                            const std::function<void()>& stop,
                            const std::function<std::string(base::Nanos)>& text) {
  constexpr base::Nanos kLook = base::kSecond / 20;
  constexpr base::Nanos kShowEvery = base::kSecond / 2;
  std::optional<base::Result<Value>> result;
  std::atomic<bool> done{false};
  std::thread worker([&] {
    try {
      result.emplace(work());
    } catch (const std::exception& thrown) {
      result.emplace(base::environment_error("", thrown.what()));
    }
    done = true;
  });
  base::Nanos shown = 0;
  while (!done) {
    if (signals.wait(kLook)) {
      stop();
    }
    const base::Nanos now = base::monotonic_now();
    if (now - shown >= kShowEvery) {
      shown = now;
      line.show(text(now));
    }
  }
  worker.join();
  return std::move(*result);
}

}  // namespace steelyard::command
