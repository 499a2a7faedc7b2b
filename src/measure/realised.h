// What was asked for beside what came: lengths as planned and as the server counted them. A run
// whose answers ended early is another workload than the one that was asked for, and its throughput
// is not to be compared with one that kept to it.
#pragma once

#include <cstdint>
#include <optional>

#include "measure/event_log.h"

namespace steelyard::measure {

struct LengthRow {
  std::int64_t n = 0;
  std::int64_t min = 0;
  std::int64_t max = 0;
  std::int64_t total = 0;

  void add(std::int64_t tokens);
  void merge(const LengthRow& other);
  [[nodiscard]] std::optional<double> mean() const {
    return n == 0 ? std::nullopt
                  : std::optional(static_cast<double>(total) / static_cast<double>(n));
  }
};

struct RealisedLengths {
  LengthRow asked_input;   // of every request that ended
  LengthRow asked_output;  // the limit it was sent with
  LengthRow input;         // by the server's usage, of those that completed and have one
  LengthRow output;
  std::int64_t osl_mismatch = 0;  // of `output`: not as long as was asked for
  std::int64_t shorter = 0;       // of these: ended early
  // Completed, but the server counted nothing, or what was asked for is not known any more.
  std::int64_t unknown = 0;

  void add(const RequestLog& log);
  void merge(const RealisedLengths& other);
};

}  // namespace steelyard::measure
