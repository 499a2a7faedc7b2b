#include "workload/rate_curve.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "base/check.h"
#include "base/text.h"
#include "quantity/duration.h"
#include "quantity/rate.h"
#include "workload/limits.h"

namespace steelyard::workload {
namespace {

// An exponential piece is a e^(kt). Ends this near to each other are one rate.
double growth(const RatePiece& piece) {
  const double k = std::log(piece.to_rps / piece.from_rps) / piece.duration_s;
  return std::abs(k * piece.duration_s) < 1e-9 ? 0 : k;
}

bool constant(const RatePiece& piece) {
  return piece.from_rps == piece.to_rps || (piece.exponential && growth(piece) == 0);
}

double area_until(const RatePiece& piece, double t) {
  if (constant(piece)) {
    return piece.from_rps == 0 ? 0 : piece.from_rps * t;
  }
  if (piece.exponential) {
    const double k = growth(piece);
    return piece.from_rps / k * std::expm1(k * t);
  }
  return t * (piece.from_rps + (piece.to_rps - piece.from_rps) * t / (2 * piece.duration_s));
}

// The inverse of area_until; `area` is within the piece.
double time_of(const RatePiece& piece, double area) {
  if (area <= 0) {
    return 0;
  }
  if (constant(piece)) {
    return area / piece.from_rps;
  }
  if (piece.exponential) {
    const double k = growth(piece);
    return std::log1p(area * k / piece.from_rps) / k;
  }
  // The root of the quadratic in the form that cancels nothing.
  const double slope = (piece.to_rps - piece.from_rps) / piece.duration_s;
  const double under = std::max(0.0, piece.from_rps * piece.from_rps + 2 * area * slope);
  return 2 * area / (piece.from_rps + std::sqrt(under));
}

tl::unexpected<base::Error> no_stage(const std::string& where, std::string_view text,
                                     std::string_view why) {
  return base::bad_input(where, fmt::format("\"{}\" {}", base::valid_utf8(text), why),
                         "for example 60s@5/s, 2min@5..20/s");
}

// As parse_rate, and 0 for a pause.
base::Result<double> stage_rate(const std::string& where, std::string_view text) {
  const std::string_view trimmed = base::trim(text);
  double number = 0;
  const auto [end, error] =
      std::from_chars(trimmed.data(), trimmed.data() + trimmed.size(), number);
  const bool pause = error == std::errc{} && number == 0;
  const std::string_view unit(end, static_cast<std::size_t>(trimmed.data() + trimmed.size() - end));
  auto rate = quantity::parse_rate(where, pause ? "1" + std::string(unit) : std::string(trimmed));
  if (rate && !pause && (*rate < kSlowestRps || *rate > kFastestRps)) {
    return base::bad_input(where, fmt::format("a rate of {:g} requests a second", *rate),
                           fmt::format("0, or from {:.6f} to {:.0f}", kSlowestRps, kFastestRps));
  }
  return pause && rate ? base::Result<double>(0.0) : rate;
}

// "5/s", or "5..20/s", where the first takes the unit of the second.
base::Status read_rates(const std::string& where, std::string_view text, RatePiece& piece) {
  const std::size_t dots = text.find("..");
  const std::string_view last = dots == std::string_view::npos ? text : text.substr(dots + 2);
  const auto to = stage_rate(where, last);
  if (!to) {
    return tl::unexpected(to.error());
  }
  piece.from_rps = piece.to_rps = *to;
  if (dots == std::string_view::npos) {
    return {};
  }
  std::string first(base::trim(text.substr(0, dots)));
  const std::size_t unit = last.find('/');
  if (first.find('/') == std::string::npos && unit != std::string_view::npos) {
    first += last.substr(unit);
  }
  return stage_rate(where, first).map([&](double from) { piece.from_rps = from; });
}

base::Result<RatePiece> parse_stage(const std::string& where, std::string_view text) {
  const std::size_t at = text.find('@');
  if (at == std::string_view::npos) {
    return no_stage(where, text, "is no stage");
  }
  RatePiece piece;
  const auto duration = quantity::parse_duration(where, text.substr(0, at));
  if (!duration) {
    return tl::unexpected(duration.error());
  }
  if (*duration == 0) {
    return no_stage(where, text, "takes no time");
  }
  piece.duration_s = base::to_seconds(*duration);
  return read_rates(where, text.substr(at + 1), piece).map([&] { return piece; });
}

}  // namespace

RateCurve::RateCurve(const std::vector<RatePiece>& pieces) {
  double begin_s = 0;
  double before = 0;
  for (const RatePiece& piece : pieces) {
    STEELYARD_CHECK(std::isfinite(begin_s), "a piece after one without end");
    STEELYARD_CHECK(std::isfinite(piece.duration_s) || piece.from_rps == piece.to_rps,
                    "a ramp without end");
    const double area = area_until(piece, piece.duration_s);
    pieces_.push_back({piece, begin_s, before, area});
    begin_s += piece.duration_s;
    before += area;
  }
}

bool RateCurve::ends() const {
  return pieces_.empty() || std::isfinite(pieces_.back().rate.duration_s);
}

double RateCurve::expected_by(double at_s) const {
  const auto after = std::ranges::upper_bound(pieces_, at_s, {}, &Placed::begin_s);
  if (after == pieces_.begin()) {
    return 0;
  }
  const Placed& piece = *std::prev(after);
  return piece.before +
         area_until(piece.rate, std::min(at_s - piece.begin_s, piece.rate.duration_s));
}

std::optional<double> RateCurve::reached_at(double expected) const {
  for (const Placed& piece : pieces_) {
    if (expected <= piece.before + piece.area && (piece.area > 0 || expected <= piece.before)) {
      return piece.begin_s +
             std::min(time_of(piece.rate, expected - piece.before), piece.rate.duration_s);
    }
  }
  return std::nullopt;
}

double ramp_duration_s(const RatePiece& ramp, double expected) {
  RatePiece unit = ramp;
  unit.duration_s = 1;
  return expected / area_until(unit, 1);
}

base::Result<std::vector<RatePiece>> parse_stages(const std::string& where, std::string_view text) {
  std::vector<RatePiece> pieces;
  double expected = 0;
  for (const std::string_view part : base::split(text, ',')) {
    auto piece = parse_stage(where, base::trim(part));
    if (!piece) {
      return tl::unexpected(piece.error());
    }
    expected += area_until(*piece, piece->duration_s);
    pieces.push_back(*piece);
  }
  if (!(expected > 0)) {
    return no_stage(where, text, "sends nothing");
  }
  return pieces;
}

}  // namespace steelyard::workload
