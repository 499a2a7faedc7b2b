#include "workload/trace.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/file.h"
#include "quantity/duration.h"
#include "workload/trace_lines.h"

namespace steelyard::workload {
namespace {

constexpr std::array<std::string_view, 8> kNames = {
    "own", "azure", "burstgpt", "vidur", "splitwise", "mooncake", "timed_trace", "servegen"};

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

tl::unexpected<base::Error> at(const std::string& name, const TraceLine& line,
                               const LineFault& fault) {
  return base::bad_input(fmt::format("{}:{}", name, line.number), fault.what, fault.right);
}

// Without empty lines and remarks.
std::vector<TraceLine> lines_of(std::string_view content) {
  if (content.starts_with(kByteOrderMark)) {
    content.remove_prefix(kByteOrderMark.size());
  }
  std::vector<TraceLine> lines;
  std::size_t number = 0;
  for (const std::string_view raw : base::split(content, '\n')) {
    ++number;
    const std::string_view line = base::trim(raw);
    if (!line.empty() && line.front() != '#') {
      lines.push_back({number, line});
    }
  }
  return lines;
}

tl::expected<TraceFormat, LineFault> format_of(std::string_view first) {
  if (first.starts_with('{')) {
    return json_format_of(first);
  }
  if (const auto csv = csv_format_of(first)) {
    return *csv;
  }
  return tl::unexpected(LineFault{
      "not the first line of a trace that is known",
      fmt::format("{}, or Azure's, BurstGPT's, Vidur's, Splitwise's CSV, or JSON lines of Mooncake",
                  csv_header_of(TraceFormat::kOwn))});
}

// Rows in order, counted from the first, without those that have no answer, and within the window.
void put_right(Trace& trace, const TraceOptions& options) {
  auto& rows = trace.rows;
  if (trace.format != TraceFormat::kOwn && !rows.empty()) {
    const auto before = [](const TraceRow& a, const TraceRow& b) { return a.due < b.due; };
    std::ranges::stable_sort(rows, before);
    const base::Nanos zero = rows.front().due;
    const std::size_t dropped = std::erase_if(
        rows, [](const TraceRow& row) { return row.input_tokens < 1 || row.output_tokens < 1; });
    trace.dropped = static_cast<std::int64_t>(dropped);
    for (TraceRow& row : rows) {
      row.due -= zero;
    }
  }
  if (!trace.has_arrivals) {
    return;
  }
  std::erase_if(rows, [&](const TraceRow& row) {
    return row.due < options.start ||
           (options.duration && row.due - options.start >= *options.duration);
  });
  for (TraceRow& row : rows) {
    row.due -= options.start;
  }
}

base::Status check(const std::string& name, const Trace& trace, const TraceOptions& options,
                   bool any_row) {
  const bool window = options.start > 0 || options.duration;
  if (window && !trace.has_arrivals) {
    return base::bad_input("--trace-start", name + " has lengths alone, and no arrivals",
                           "--num-prompts for the first of them");
  }
  if (trace.rows.empty()) {
    return any_row && window
               ? base::bad_input(
                     "--trace-start",
                     fmt::format(
                         "no request of {} came from {} on{}", name,
                         quantity::to_text(options.start),
                         options.duration ? " for " + quantity::to_text(*options.duration) : ""))
               : base::bad_input(name, "a trace without rows that were answered",
                                 fmt::format("\"{}\" and rows", csv_header_of(TraceFormat::kOwn)));
  }
  return {};
}

}  // namespace

std::optional<TraceFormat> trace_format_named(std::string_view name) {
  const auto* const found = std::ranges::find(kNames, name);
  return found == kNames.end() || found == kNames.begin()
             ? std::nullopt
             : std::optional(static_cast<TraceFormat>(found - kNames.begin()));
}

std::string_view name_of(TraceFormat format) { return kNames[static_cast<std::size_t>(format)]; }

base::Result<Trace> parse_trace(const std::string& name, std::string_view content,
                                const TraceOptions& options) {
  const auto lines = lines_of(content);
  if (lines.empty()) {
    return base::bad_input(name, "a trace without rows",
                           fmt::format("\"{}\" and rows", csv_header_of(TraceFormat::kOwn)));
  }
  const auto format = options.format ? tl::expected<TraceFormat, LineFault>(*options.format)
                                     : format_of(lines.front().text);
  if (!format) {
    return at(name, lines.front(), format.error());
  }
  Trace trace;
  trace.format = *format;
  std::size_t next = 0;
  std::unique_ptr<TraceReader> reader;
  if (csv_header_of(*format).empty()) {
    reader = json_reader(*format, options);
  } else {
    auto csv = csv_reader(*format, lines[next++].text);
    if (!csv) {
      return at(name, lines.front(), csv.error());
    }
    reader = std::move(*csv);
  }
  trace.rows.reserve(lines.size());
  for (; next < lines.size(); ++next) {
    if (const auto ok = reader->read(lines[next].text, trace); !ok) {
      return at(name, lines[next], ok.error());
    }
  }
  const bool any_row = !trace.rows.empty();
  put_right(trace, options);
  return check(name, trace, options, any_row).map([&] { return std::move(trace); });
}

base::Result<Trace> load_trace(const std::string& path, const TraceOptions& options) {
  return base::read_file(path).and_then(
      [&](const std::string& content) { return parse_trace(path, content, options); });
}

}  // namespace steelyard::workload
