#include "command/signals.h"

#include <csignal>
#include <ctime>

namespace steelyard::command {
namespace {

sigset_t watched() {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGINT);
  sigaddset(&set, SIGTERM);
  return set;
}

}  // namespace

SignalWatch::SignalWatch() {
  const sigset_t set = watched();
  pthread_sigmask(SIG_BLOCK, &set, nullptr);
}

bool SignalWatch::wait(base::Nanos at_most) const {
  const sigset_t set = watched();
  const timespec limit{at_most / base::kSecond, at_most % base::kSecond};
  return sigtimedwait(&set, nullptr, &limit) > 0;
}

}  // namespace steelyard::command
