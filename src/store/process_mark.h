// Who is writing a run, so that a later reader can tell a run that still goes on from one whose
// process was killed, which could not say so itself.
#pragma once

#include <string>
#include <string_view>

namespace steelyard::store {

// This process: the machine's boot, the PID namespace, the PID, and when the process began (a PID
// is given out again). For this machine's eyes only. Empty where /proc does not tell.
[[nodiscard]] std::string own_process_mark();

// Whether the process of that mark has surely ended. A process in another PID namespace, a
// container beside ours, cannot be seen, and counts as alive; so does one whose mark cannot be
// read.
[[nodiscard]] bool has_ended(std::string_view mark);

}  // namespace steelyard::store
