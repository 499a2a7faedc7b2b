// Answers that break a client: each is one way in which real servers differ or fail, as bytes. A
// script is data: its pieces go out one a token time (the first after TTFT, the others ITL apart),
// each in one write, whatever the request asked for.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "measure/event_log.h"

namespace steelyard::emulate {

struct FaultScript {
  enum class End : std::uint8_t { kKeepOpen, kClose, kReset };
  struct Piece {
    std::string bytes;
    std::int64_t tokens = 0;  // that become visible with it
  };

  std::string name;
  std::string what;  // one line: what it does, and what a client should make of it
  std::vector<Piece> pieces;
  End end = End::kKeepOpen;
  measure::Outcome outcome = measure::Outcome::kCompleted;
};

[[nodiscard]] std::span<const FaultScript> fault_scripts();
// Null where there is none of that name.
[[nodiscard]] const FaultScript* find_fault_script(std::string_view name);

}  // namespace steelyard::emulate
