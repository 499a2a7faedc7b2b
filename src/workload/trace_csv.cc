// Traces in CSV: known by the names of their columns, whatever else stands between them.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <cmath>

#include "workload/limits.h"
#include "workload/trace_lines.h"

namespace steelyard::workload {
namespace {

enum class Clock : std::uint8_t { kNone, kSeconds, kDateTime };

struct CsvForm {
  TraceFormat format;
  std::string_view time;  // empty: lengths alone
  std::string_view input;
  std::string_view output;
  Clock clock;
};

// The first whose columns are all there is taken.
constexpr std::array<CsvForm, 6> kForms = {{
    {TraceFormat::kOwn, "arrival_s", "input_tokens", "output_tokens", Clock::kSeconds},
    {TraceFormat::kAzure, "TIMESTAMP", "ContextTokens", "GeneratedTokens", Clock::kDateTime},
    {TraceFormat::kBurstGpt, "Timestamp", "Request tokens", "Response tokens", Clock::kSeconds},
    {TraceFormat::kVidur, "arrived_at", "num_prefill_tokens", "num_decode_tokens", Clock::kSeconds},
    {TraceFormat::kVidur, "", "num_prefill_tokens", "num_decode_tokens", Clock::kNone},
    {TraceFormat::kSplitwise, "arrival_timestamp", "prompt_size", "token_size", Clock::kSeconds},
}};

std::vector<std::string_view> cells_of(std::string_view line) {
  auto cells = base::split(line, ',');
  for (std::string_view& cell : cells) {
    cell = base::trim(cell);
  }
  return cells;
}

std::optional<std::size_t> column(const std::vector<std::string_view>& header,
                                  std::string_view name) {
  const auto found = std::ranges::find(header, name);
  return found == header.end() ? std::nullopt
                               : std::optional(static_cast<std::size_t>(found - header.begin()));
}

const CsvForm* form_of(const std::vector<std::string_view>& header,
                       std::optional<TraceFormat> format) {
  const auto* const found = std::ranges::find_if(kForms, [&](const CsvForm& form) {
    return (!format || form.format == *format) &&
           (form.time.empty() || column(header, form.time)) && column(header, form.input) &&
           column(header, form.output);
  });
  return found == kForms.end() ? nullptr : found;
}

template <typename Number>
bool read_number(std::string_view text, Number& number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc{} && end == text.data() + text.size();
}

std::optional<base::Nanos> seconds(std::string_view text) {
  double value = 0;
  if (!read_number(text, value) || !(value >= 0) || value > base::to_seconds(kLatestDue)) {
    return std::nullopt;
  }
  return static_cast<base::Nanos>(std::llround(value * 1e9));
}

// The digits of a fraction of a second, as nanoseconds.
std::optional<base::Nanos> fraction(std::string_view digits) {
  base::Nanos nanos = 0;
  base::Nanos place = base::kSecond;
  for (const char c : digits) {
    if (c < '0' || c > '9') {
      return std::nullopt;
    }
    place /= 10;
    nanos += place * (c - '0');
  }
  return nanos;
}

// "2023-11-16 18:17:03.9799600", with or without a zone, which is the same throughout a file.
std::optional<base::Nanos> date_time(std::string_view text) {
  constexpr std::size_t kWhole = 19;
  const std::string_view date = text.substr(0, std::min(text.size(), kWhole));
  std::array<int, 6> part{};
  constexpr std::array<std::size_t, 6> kAt = {0, 5, 8, 11, 14, 17};
  for (std::size_t i = 0; i < part.size(); ++i) {
    if (date.size() < kWhole || !read_number(date.substr(kAt[i], i == 0 ? 4 : 2), part[i]) ||
        part[i] < 0) {
      return std::nullopt;
    }
  }
  const std::chrono::year_month_day day{std::chrono::year(part[0]),
                                        std::chrono::month(static_cast<unsigned>(part[1])),
                                        std::chrono::day(static_cast<unsigned>(part[2]))};
  if (!day.ok() || part[0] < 1970 || part[0] > 2200 || part[3] > 23 || part[4] > 59 ||
      part[5] > 60) {
    return std::nullopt;
  }
  std::string_view rest = text.substr(kWhole);
  rest = rest.substr(0, rest.find_first_of("+-Z"));
  const auto nanos = rest.empty()          ? std::optional<base::Nanos>(0)
                     : rest.front() == '.' ? fraction(rest.substr(1))
                                           : std::nullopt;
  const auto days = std::chrono::sys_days(day).time_since_epoch().count();
  const base::Nanos whole = ((days * 24LL + part[3]) * 60 + part[4]) * 60 + part[5];
  return nanos ? std::optional(whole * base::kSecond + *nanos) : std::nullopt;
}

class CsvReader final : public TraceReader {
 public:
  CsvReader(const CsvForm& form, const std::vector<std::string_view>& header)
      : form_(form),
        columns_(header.size()),
        time_(column(header, form.time).value_or(0)),
        input_(*column(header, form.input)),
        output_(*column(header, form.output)) {}

  LineStatus read(std::string_view line, Trace& trace) override {
    const auto cells = cells_of(line);
    if (cells.size() != columns_) {
      return tl::unexpected(LineFault{fmt::format("{} columns", cells.size()),
                                      fmt::format("{}, as the header has", columns_)});
    }
    TraceRow row;
    if (auto ok = read_time(cells[time_], row.due); !ok) {
      return ok;
    }
    const std::int64_t least = form_.format == TraceFormat::kOwn ? 1 : 0;
    auto ok = tokens(form_.input, cells[input_], least, row.input_tokens).and_then([&] {
      return tokens(form_.output, cells[output_], least, row.output_tokens);
    });
    if (!ok) {
      return ok;
    }
    if (form_.format == TraceFormat::kOwn && !trace.rows.empty() &&
        row.due < trace.rows.back().due) {
      return tl::unexpected(
          LineFault{"arrives before the row above it", "rows in order of arrival"});
    }
    trace.has_arrivals = form_.clock != Clock::kNone;
    trace.rows.push_back(row);
    return {};
  }

 private:
  LineStatus read_time(std::string_view cell, base::Nanos& due) const {
    if (form_.clock == Clock::kNone) {
      return {};
    }
    const bool date = form_.clock == Clock::kDateTime;
    const auto read = date ? date_time(cell) : seconds(cell);
    if (!read) {
      return tl::unexpected(LineFault{
          fmt::format("{} \"{}\"", form_.time, base::valid_utf8(cell)),
          date ? "a date and time such as 2023-11-16 18:17:03.9799600" : "seconds from 0 on"});
    }
    due = *read;
    return {};
  }

  static LineStatus tokens(std::string_view name, std::string_view cell, std::int64_t least,
                           std::int32_t& into) {
    std::int64_t value = 0;
    if (!read_number(cell, value) || value < least || value > kMostRowTokens) {
      return tl::unexpected(
          LineFault{fmt::format("{} \"{}\"", name, base::valid_utf8(cell)),
                    fmt::format("a whole number from {} to {}", least, kMostRowTokens)});
    }
    into = static_cast<std::int32_t>(value);
    return {};
  }

  CsvForm form_;
  std::size_t columns_;
  std::size_t time_;
  std::size_t input_;
  std::size_t output_;
};

}  // namespace

std::optional<TraceFormat> csv_format_of(std::string_view header) {
  const CsvForm* const form = form_of(cells_of(header), std::nullopt);
  return form == nullptr ? std::nullopt : std::optional(form->format);
}

std::string csv_header_of(TraceFormat format) {
  const auto* const form = std::ranges::find(kForms, format, &CsvForm::format);
  return form == kForms.end() ? "" : fmt::format("{},{},{}", form->time, form->input, form->output);
}

tl::expected<std::unique_ptr<TraceReader>, LineFault> csv_reader(TraceFormat format,
                                                                 std::string_view header) {
  const auto names = cells_of(header);
  const CsvForm* const form = form_of(names, format);
  if (form == nullptr) {
    return tl::unexpected(LineFault{fmt::format("not the header of a trace of {}", name_of(format)),
                                    csv_header_of(format)});
  }
  return std::make_unique<CsvReader>(*form, names);
}

}  // namespace steelyard::workload
