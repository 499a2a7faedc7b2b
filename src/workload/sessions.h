// Conversations: turn after turn, each sent a while after the answer to the last, and with all that
// was said before. So a slow server is asked less, as by people, and its prefix cache has work.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>

#include "base/clock.h"
#include "base/error.h"
#include "base/random.h"
#include "workload/arrivals.h"
#include "workload/source.h"

namespace steelyard::workload {

// How long somebody thinks before the next turn.
struct ThinkTime {
  enum class Kind : std::uint8_t { kConstant, kExponential, kUniform, kLognormal };
  Kind kind = Kind::kConstant;
  base::Nanos first = 0;   // the time; the mean; the least; the mean
  base::Nanos second = 0;  // of kUniform the most, of kLognormal the deviation

  [[nodiscard]] base::Nanos draw(base::Random& random) const;
};

// "2s", "exponential:2s", "uniform:1s..5s", "lognormal:5s..8s" (mean, deviation).
[[nodiscard]] base::Result<ThinkTime> parse_think_time(const std::string& where,
                                                       std::string_view text);

struct SessionOptions {
  std::optional<std::int64_t> sessions{};  // absent: 100, or all that the file has
  std::int64_t least_turns = 3;
  std::int64_t most_turns = 3;
  ThinkTime think{};
  // At most so many conversations at a time; the next begins as one ends. Absent: as they arrive.
  std::optional<std::int64_t> at_once{};
};

struct DatasetOptions;

// Generated turns of the random dataset's lengths, or those of a ShareGPT file where a path is
// given: its questions, and its answers' lengths as limits. `arrivals` says when conversations
// begin. A turn that fails ends its conversation.
[[nodiscard]] base::Result<std::unique_ptr<Source>> session_source(const DatasetOptions& options,
                                                                   const ArrivalOptions& arrivals);

}  // namespace steelyard::workload
