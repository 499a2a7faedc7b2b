#include "quantity/sla.h"

#include <fmt/format.h>

#include <array>
#include <charconv>

#include "base/text.h"
#include "quantity/duration.h"

namespace steelyard::quantity {
namespace {

constexpr std::array<std::string_view, 5> kMetrics = {"ttft", "ttfo", "tpot", "itl", "e2e"};
constexpr std::string_view kForm = "METRIC[.mean|.pNN]<DURATION, such as ttft.p99<500ms";

base::Result<Metric> parse_metric(const std::string& where, std::string_view text) {
  const std::string name = base::lower(base::trim(text));
  for (std::size_t i = 0; i < kMetrics.size(); ++i) {
    if (name == kMetrics[i]) {
      return static_cast<Metric>(i);
    }
  }
  if (name == "e2el") {
    return Metric::kE2e;
  }
  const std::string near = base::nearest(name, kMetrics);
  return base::bad_input(where,
                         fmt::format("\"{}\" is not a latency metric", base::valid_utf8(text)),
                         near.empty() ? "ttft, ttfo, tpot, itl or e2e" : near);
}

bool read_decimal(std::string_view text, double& number) {
  const auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), number, std::chars_format::fixed);
  return error == std::errc{} && end == text.data() + text.size();
}

bool parse_percentile(std::string_view text, double& percentile) {
  if (text.size() < 2 || text.front() != 'p') {
    return false;
  }
  return read_decimal(text.substr(1), percentile) && percentile > 0 && percentile < 100;
}

base::Status parse_statistic(const std::string& where, std::string_view text, SlaTerm& term) {
  const std::string name = base::lower(base::trim(text));
  if (name == "mean") {
    term.statistic = SlaTerm::Statistic::kMean;
    return {};
  }
  if (parse_percentile(name, term.percentile)) {
    term.statistic = SlaTerm::Statistic::kPercentile;
    return {};
  }
  return base::bad_input(where, fmt::format("\"{}\" is not a statistic", base::valid_utf8(text)),
                         "mean, or p and a number above 0 and below 100, such as p99");
}

base::Result<base::Nanos> parse_threshold(const std::string& where, std::string_view text) {
  auto threshold = parse_duration(where, text);
  if (threshold && *threshold == 0) {
    return base::bad_input(where, "a threshold of 0 is never met", std::string(kForm));
  }
  return threshold;
}

}  // namespace

std::string_view name_of(Metric metric) { return kMetrics[static_cast<std::size_t>(metric)]; }

std::optional<double> SlaTerm::target() const {
  return statistic == Statistic::kPercentile ? std::optional(percentile / 100) : std::nullopt;
}

base::Result<SlaTerm> parse_sla_term(const std::string& where, std::string_view text) {
  const std::size_t less = text.find('<');
  if (less == std::string_view::npos) {
    return base::bad_input(where, fmt::format("\"{}\" has no <", base::valid_utf8(text)),
                           std::string(kForm));
  }
  const std::string_view left = text.substr(0, less);
  const std::size_t dot = left.find('.');
  SlaTerm term;
  const auto metric = parse_metric(where, left.substr(0, dot));
  if (!metric) {
    return tl::unexpected(metric.error());
  }
  term.metric = *metric;
  if (dot != std::string_view::npos) {
    if (auto known = parse_statistic(where, left.substr(dot + 1), term); !known) {
      return tl::unexpected(known.error());
    }
  }
  return parse_threshold(where, text.substr(less + 1)).map([&](base::Nanos threshold) {
    term.threshold = threshold;
    return term;
  });
}

base::Result<SlaTerm> parse_goodput_term(const std::string& where, std::string_view text) {
  const std::size_t colon = text.find(':');
  if (colon == std::string_view::npos) {
    return base::bad_input(where, fmt::format("\"{}\" has no :", base::valid_utf8(text)),
                           "METRIC:MILLISECONDS, such as ttft:500");
  }
  const auto metric = parse_metric(where, text.substr(0, colon));
  if (!metric) {
    return tl::unexpected(metric.error());
  }
  const std::string_view number = text.substr(colon + 1);
  if (number.find_first_not_of("0123456789.") != std::string_view::npos) {
    return base::bad_input(where, fmt::format("\"{}\" is not a number", base::valid_utf8(number)),
                           "milliseconds without a unit, such as ttft:500");
  }
  SlaTerm term;
  term.metric = *metric;
  return parse_threshold(where, std::string(number) + "ms").map([&](base::Nanos threshold) {
    term.threshold = threshold;
    return term;
  });
}

std::string to_text(const SlaTerm& term) {
  std::string text(name_of(term.metric));
  if (term.statistic == SlaTerm::Statistic::kMean) {
    text += ".mean";
  } else if (term.statistic == SlaTerm::Statistic::kPercentile) {
    text += fmt::format(".p{}", term.percentile);
  }
  return text + "<" + to_text(term.threshold);
}

base::Result<double> parse_share(const std::string& where, std::string_view text) {
  std::string_view number = base::trim(text);
  double percent = 0;
  const bool marked = !number.empty() && number.back() == '%';
  number = base::trim(number.substr(0, number.size() - (marked ? 1 : 0)));
  if (!marked || !read_decimal(number, percent) || !(percent > 0) || percent > 100) {
    return base::bad_input(where, fmt::format("\"{}\" is not a share", base::valid_utf8(text)),
                           "a percentage above 0% up to 100%, such as 99%");
  }
  return percent / 100;
}

}  // namespace steelyard::quantity
