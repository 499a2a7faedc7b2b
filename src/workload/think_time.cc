#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "base/text.h"
#include "quantity/duration.h"
#include "workload/limits.h"
#include "workload/sessions.h"

namespace steelyard::workload {
namespace {

constexpr std::string_view kRight =
    "2s, exponential:2s, uniform:1s..5s or lognormal:5s..8s (mean, deviation)";

struct Form {
  std::string_view name;
  ThinkTime::Kind kind;
  bool two;
};
constexpr std::array<Form, 4> kForms = {{
    {"constant", ThinkTime::Kind::kConstant, false},
    {"exponential", ThinkTime::Kind::kExponential, false},
    {"uniform", ThinkTime::Kind::kUniform, true},
    {"lognormal", ThinkTime::Kind::kLognormal, true},
}};

}  // namespace

base::Nanos ThinkTime::draw(base::Random& random) const {
  const auto mean = static_cast<double>(first);
  double time = mean;
  switch (kind) {
    case Kind::kConstant:
      break;
    case Kind::kExponential:
      time = mean * random.exponential();
      break;
    case Kind::kUniform:
      return random.integer(first, second);
    case Kind::kLognormal: {
      // The normal's parameters that give this mean and deviation.
      const double ratio = static_cast<double>(second) / mean;
      const double variance = std::log1p(ratio * ratio);
      time = random.lognormal(std::log(mean) - variance / 2, std::sqrt(variance));
      break;
    }
  }
  return static_cast<base::Nanos>(std::min(time, static_cast<double>(kLatestDue)));
}

base::Result<ThinkTime> parse_think_time(const std::string& where, std::string_view text) {
  const std::size_t colon = text.find(':');
  const std::string_view name =
      colon == std::string_view::npos ? "constant" : base::trim(text.substr(0, colon));
  const std::string_view times = colon == std::string_view::npos ? text : text.substr(colon + 1);
  const auto* const form = std::ranges::find(kForms, name, &Form::name);
  const std::size_t dots = times.find("..");
  if (form == kForms.end() || form->two != (dots != std::string_view::npos)) {
    return base::bad_input(where, fmt::format("\"{}\" is no think time", base::valid_utf8(text)),
                           std::string(kRight));
  }
  ThinkTime think{form->kind, 0, 0};
  const auto first = quantity::parse_duration(where, times.substr(0, dots));
  if (!first) {
    return tl::unexpected(first.error());
  }
  think.first = *first;
  if (!form->two) {
    return think;
  }
  const auto second = quantity::parse_duration(where, times.substr(dots + 2));
  if (!second) {
    return tl::unexpected(second.error());
  }
  think.second = *second;
  const bool uniform = think.kind == ThinkTime::Kind::kUniform;
  if (uniform ? think.first > think.second : think.first == 0) {
    return base::bad_input(where,
                           fmt::format("\"{}\" {}", base::valid_utf8(text),
                                       uniform ? "ends before it begins" : "has a mean of 0"),
                           std::string(kRight));
  }
  return think;
}

}  // namespace steelyard::workload
