// A recorded load: when each request came and how long it was. Our own format is CSV with the
// header `arrival_s,input_tokens,output_tokens`; lines that begin with # are remarks and carry the
// source and licence.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/error.h"

namespace steelyard::workload {

struct TraceRow {
  base::Nanos due = 0;  // after the first row's time zero
  std::int64_t input_tokens = 0;
  std::int64_t output_tokens = 0;
};

// Rows in order of arrival. An arrival that goes back in time, a length below 1, a missing column
// or an empty file is bad input with its line.
[[nodiscard]] base::Result<std::vector<TraceRow>> parse_trace(const std::string& name,
                                                              std::string_view content);
[[nodiscard]] base::Result<std::vector<TraceRow>> load_trace(const std::string& path);

}  // namespace steelyard::workload
