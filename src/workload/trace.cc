#include "workload/trace.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>

#include "base/file.h"
#include "base/text.h"

namespace steelyard::workload {
namespace {

constexpr std::string_view kHeader = "arrival_s,input_tokens,output_tokens";

template <typename Number>
bool read_number(std::string_view text, Number& number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc{} && end == text.data() + text.size();
}

base::Result<TraceRow> parse_row(const std::string& where, std::string_view line) {
  const auto fields = base::split(line, ',');
  if (fields.size() != 3) {
    return base::bad_input(where, fmt::format("{} columns", fields.size()),
                           fmt::format("three: {}", kHeader));
  }
  double arrival_s = 0;
  TraceRow row;
  // A year bounds the arrival, so that nanoseconds cannot overflow.
  if (!read_number(base::trim(fields[0]), arrival_s) || !(arrival_s >= 0) || arrival_s > 3.2e7) {
    return base::bad_input(where, fmt::format("arrival \"{}\"", base::valid_utf8(fields[0])),
                           "seconds from 0 on");
  }
  row.due = static_cast<base::Nanos>(std::llround(arrival_s * 1e9));
  if (!read_number(base::trim(fields[1]), row.input_tokens) || row.input_tokens < 1) {
    return base::bad_input(where, fmt::format("input_tokens \"{}\"", base::valid_utf8(fields[1])),
                           "a whole number, at least 1");
  }
  if (!read_number(base::trim(fields[2]), row.output_tokens) || row.output_tokens < 1) {
    return base::bad_input(where, fmt::format("output_tokens \"{}\"", base::valid_utf8(fields[2])),
                           "a whole number, at least 1");
  }
  return row;
}

}  // namespace

base::Result<std::vector<TraceRow>> parse_trace(const std::string& name, std::string_view content) {
  std::vector<TraceRow> rows;
  bool header_seen = false;
  std::size_t number = 0;
  for (const std::string_view raw : base::split(content, '\n')) {
    ++number;
    const std::string_view line = base::trim(raw);
    if (line.empty() || line.front() == '#') {
      continue;
    }
    const std::string where = fmt::format("{}:{}", name, number);
    if (!header_seen) {
      if (line != kHeader) {
        return base::bad_input(where, "not the header of a trace", std::string(kHeader));
      }
      header_seen = true;
      continue;
    }
    auto row = parse_row(where, line);
    if (!row) {
      return tl::unexpected(row.error());
    }
    if (!rows.empty() && row->due < rows.back().due) {
      return base::bad_input(where, "arrives before the row above it", "rows in order of arrival");
    }
    rows.push_back(*row);
  }
  if (rows.empty()) {
    return base::bad_input(name, "a trace without rows", fmt::format("\"{}\" and rows", kHeader));
  }
  return rows;
}

base::Result<std::vector<TraceRow>> load_trace(const std::string& path) {
  return base::read_file(path).and_then(
      [&](const std::string& content) { return parse_trace(path, content); });
}

}  // namespace steelyard::workload
