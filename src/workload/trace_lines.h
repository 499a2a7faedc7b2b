// Within this folder: the lines of a trace file, and their reading in one format.
#pragma once

#include <memory>

#include "base/text.h"
#include "workload/trace.h"

namespace steelyard::workload {

inline constexpr std::int64_t kMostRowTokens = 100'000'000;

struct TraceLine {
  std::size_t number = 0;  // from 1
  std::string_view text;   // trimmed
};

// What is wrong with a line; it gets its file and number where it is told.
struct LineFault {
  std::string what;
  std::string right;
};
using LineStatus = tl::expected<void, LineFault>;

// Reads one line after the other into a trace.
class TraceReader {
 public:
  virtual ~TraceReader() = default;
  virtual LineStatus read(std::string_view line, Trace& trace) = 0;
};

// Whether the line is the header of a CSV that is known, and which.
[[nodiscard]] std::optional<TraceFormat> csv_format_of(std::string_view header);
[[nodiscard]] std::string csv_header_of(TraceFormat format);  // empty for JSON lines
[[nodiscard]] tl::expected<std::unique_ptr<TraceReader>, LineFault> csv_reader(
    TraceFormat format, std::string_view header);

// Which of the formats of JSON lines a first line is in.
[[nodiscard]] tl::expected<TraceFormat, LineFault> json_format_of(std::string_view line);
[[nodiscard]] std::unique_ptr<TraceReader> json_reader(TraceFormat format,
                                                       const TraceOptions& options);

}  // namespace steelyard::workload
