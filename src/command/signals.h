// Ctrl-C as a question asked by the main thread, not as an interruption of the others.
#pragma once

#include "base/clock.h"

namespace steelyard::command {

// Blocks SIGINT and SIGTERM in this thread and in those started after, to the end of the process: a
// second Ctrl-C, while the first is obeyed, must not cut the reports or the store short.
class SignalWatch {
 public:
  SignalWatch();
  SignalWatch(const SignalWatch&) = delete;
  SignalWatch& operator=(const SignalWatch&) = delete;
  // Waits so long for a signal; true when one came.
  [[nodiscard]] bool wait(base::Nanos at_most) const;
};

}  // namespace steelyard::command
