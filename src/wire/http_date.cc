#include "wire/http_date.h"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <chrono>
#include <vector>

#include "base/text.h"

namespace steelyard::wire {
namespace {

using std::chrono::days;
using std::chrono::sys_days;

constexpr std::array<std::string_view, 7> kDays = {"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};
constexpr std::array<std::string_view, 12> kMonths = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                                      "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};

std::optional<int> number(std::string_view text, std::size_t digits) {
  int value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool whole = error == std::errc{} && end == text.data() + text.size();
  return whole && text.size() == digits && value >= 0 ? std::optional(value) : std::nullopt;
}

std::optional<unsigned> month_of(std::string_view name) {
  for (std::size_t i = 0; i < kMonths.size(); ++i) {
    if (kMonths[i] == name) {
      return static_cast<unsigned>(i + 1);
    }
  }
  return std::nullopt;
}

struct Parts {
  std::string_view day;
  std::string_view month;
  std::string_view year;
  std::string_view time;
};

// Where the parts stand in each of the three forms.
std::optional<Parts> parts_of(std::string_view text) {
  std::vector<std::string_view> words;
  for (const std::string_view word : base::split(text, ' ')) {
    if (!word.empty()) {
      words.push_back(word);
    }
  }
  if (words.size() == 6 && words[0].ends_with(',') && words[5] == "GMT") {
    return Parts{words[1], words[2], words[3], words[4]};
  }
  if (words.size() == 4 && words[0].ends_with(',') && words[3] == "GMT") {
    const auto date = base::split(words[1], '-');  // RFC 850: 06-Nov-94
    return date.size() == 3 ? std::optional(Parts{date[0], date[1], date[2], words[2]})
                            : std::nullopt;
  }
  if (words.size() == 5) {  // asctime: Sun Nov  6 08:49:37 1994
    return Parts{words[2], words[1], words[4], words[3]};
  }
  return std::nullopt;
}

std::optional<int> year_of(std::string_view text) {
  if (text.size() != 2) {
    return number(text, 4);
  }
  const auto two = number(text, 2);
  return two ? std::optional(*two < 70 ? 2000 + *two : 1900 + *two) : std::nullopt;
}

std::optional<base::Nanos> seconds_of_day(std::string_view text) {
  const auto parts = base::split(text, ':');
  if (parts.size() != 3) {
    return std::nullopt;
  }
  const auto hour = number(parts[0], 2);
  const auto minute = number(parts[1], 2);
  const auto second = number(parts[2], 2);
  const bool right = hour && minute && second && *hour < 24 && *minute < 60 && *second <= 60;
  return right ? std::optional<base::Nanos>(*hour * 3600 + *minute * 60 + *second) : std::nullopt;
}

}  // namespace

std::string http_date(base::Nanos wall) {
  const auto at = std::chrono::sys_time<std::chrono::nanoseconds>(std::chrono::nanoseconds(wall));
  const sys_days day = std::chrono::floor<days>(at);
  const std::chrono::year_month_day date(day);
  const std::chrono::hh_mm_ss time(std::chrono::floor<std::chrono::seconds>(at) - day);
  return fmt::format(
      "{}, {:02} {} {:04} {:02}:{:02}:{:02} GMT", kDays[std::chrono::weekday(day).c_encoding()],
      static_cast<unsigned>(date.day()), kMonths[static_cast<unsigned>(date.month()) - 1],
      static_cast<int>(date.year()), time.hours().count(), time.minutes().count(),
      time.seconds().count());
}

std::optional<base::Nanos> parse_http_date(std::string_view text) {
  const auto parts = parts_of(text);
  if (!parts) {
    return std::nullopt;
  }
  const auto day = number(parts->day, parts->day.size() == 1 ? 1 : 2);
  const auto month = month_of(parts->month);
  const auto year = year_of(parts->year);
  const auto seconds = seconds_of_day(parts->time);
  // Beyond these years nanoseconds do not fit.
  if (!day || !month || !year || !seconds || *year < 1970 || *year > 2200) {
    return std::nullopt;
  }
  const std::chrono::year_month_day date{std::chrono::year(*year), std::chrono::month(*month),
                                         std::chrono::day(static_cast<unsigned>(*day))};
  if (!date.ok()) {
    return std::nullopt;
  }
  const base::Nanos midnight = sys_days(date).time_since_epoch().count() * 86'400;
  return (midnight + *seconds) * base::kSecond;
}

}  // namespace steelyard::wire
