#include "platform/retry_hint.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <string>
#include <utility>

#include "base/text.h"
#include "wire/http_date.h"

namespace steelyard::platform {
namespace {

using From = RetryHint::From;

constexpr double kLongestSeconds = 366.0 * 86'400;  // beyond it a hint is noise

// Takes a decimal off the beginning of `text`: digits, and a fraction.
std::optional<double> take_number(std::string_view& text) {
  const std::size_t whole = text.find_first_not_of("0123456789");
  std::size_t size = std::min(whole, text.size());
  if (size == 0) {
    return std::nullopt;
  }
  if (size + 1 < text.size() && text[size] == '.') {
    const std::size_t fraction = text.substr(size + 1).find_first_not_of("0123456789");
    size += fraction == 0 ? 0 : 1 + std::min(fraction, text.size() - size - 1);
  }
  const std::string_view digits = text.substr(0, size);
  double value = 0;
  std::from_chars(digits.data(), digits.data() + digits.size(), value);
  text.remove_prefix(size);
  return value;
}

// Takes a unit off, and gives its seconds.
std::optional<double> take_unit(std::string_view& text) {
  constexpr std::array<std::pair<std::string_view, double>, 8> kUnits = {{{"ms", 1e-3},
                                                                          {"us", 1e-6},
                                                                          {"µs", 1e-6},
                                                                          {"ns", 1e-9},
                                                                          {"h", 3600},
                                                                          {"m", 60},
                                                                          {"s", 1},
                                                                          {"d", 86'400}}};
  for (const auto& [unit, seconds] : kUnits) {
    if (text.starts_with(unit)) {
      text.remove_prefix(unit.size());
      return seconds;
    }
  }
  return std::nullopt;
}

std::optional<base::Nanos> within_bounds(double seconds) {
  return seconds <= kLongestSeconds ? std::optional(base::from_seconds(seconds)) : std::nullopt;
}

// Takes "6m0s", "20ms" or "1.5s" off.
std::optional<base::Nanos> take_duration(std::string_view& text) {
  double seconds = 0;
  bool any = false;
  for (std::string_view rest = text;;) {
    const auto number = take_number(rest);
    const auto unit = number ? take_unit(rest) : std::nullopt;
    if (!unit) {
      return any ? within_bounds(seconds) : std::nullopt;
    }
    seconds += *number * *unit;
    any = true;
    text = rest;
  }
}

std::optional<base::Nanos> plain_number(std::string_view text, double unit_seconds) {
  text = base::trim(text);
  const auto number = take_number(text);
  return number && text.empty() ? within_bounds(*number * unit_seconds) : std::nullopt;
}

std::optional<base::Nanos> duration_or_seconds(std::string_view text) {
  text = base::trim(text);
  if (const auto seconds = plain_number(text, 1)) {
    return seconds;
  }
  const auto duration = take_duration(text);
  return text.empty() ? duration : std::nullopt;
}

std::optional<base::Nanos> seconds_or_date(const wire::HttpHead& head, base::Nanos wall) {
  const std::string_view text = head.field("retry-after");
  if (const auto seconds = plain_number(text, 1)) {
    return seconds;
  }
  const auto date = wire::parse_http_date(base::trim(text));
  if (!date) {
    return std::nullopt;
  }
  const base::Nanos now = wire::parse_http_date(head.field("date")).value_or(wall);
  return std::max<base::Nanos>(0, *date - now);
}

// Of requests and of tokens each has its limit: the later of those that are used up, else that of
// requests.
std::optional<base::Nanos> limit_reset(const wire::HttpHead& head) {
  std::optional<base::Nanos> latest;
  for (const std::string kind : {"requests", "tokens"}) {
    const std::string_view left = base::trim(head.field("x-ratelimit-remaining-" + kind));
    const auto reset = duration_or_seconds(head.field("x-ratelimit-reset-" + kind));
    if (reset && (left == "0" || left.starts_with('-'))) {
      latest = std::max(latest, reset);
    }
  }
  return latest ? latest : duration_or_seconds(head.field("x-ratelimit-reset-requests"));
}

std::optional<base::Nanos> told_in(std::string_view body) {
  constexpr std::string_view kWords = "resets in ";
  const std::size_t at = body.find(kWords);
  if (at == std::string_view::npos) {
    return std::nullopt;
  }
  std::string_view rest = body.substr(at + kWords.size());
  rest.remove_prefix(rest.starts_with('~') ? 1 : 0);
  return take_duration(rest);
}

}  // namespace

std::string_view name_of(RetryHint::From from) {
  switch (from) {
    case From::kRetryAfterMs:
      return "retry-after-ms";
    case From::kRetryAfter:
      return "retry-after";
    case From::kRateLimitReset:
      return "x-ratelimit-reset";
    default:
      return "text";
  }
}

std::optional<RetryHint> retry_hint(const wire::HttpHead& head, std::string_view body,
                                    base::Nanos wall) {
  if (const auto after = plain_number(head.field("retry-after-ms"), 1e-3)) {
    return RetryHint{*after, From::kRetryAfterMs};
  }
  if (const auto after = seconds_or_date(head, wall)) {
    return RetryHint{*after, From::kRetryAfter};
  }
  if (const auto after = limit_reset(head)) {
    return RetryHint{*after, From::kRateLimitReset};
  }
  if (const auto after = told_in(body)) {
    return RetryHint{*after, From::kText};
  }
  return std::nullopt;
}

}  // namespace steelyard::platform
