#include "workload/arrivals.h"

#include <fmt/format.h>

#include <algorithm>

#include "workload/limits.h"

namespace steelyard::workload {
namespace {

bool in_bounds(double rate_rps) { return rate_rps >= kSlowestRps && rate_rps <= kFastestRps; }

tl::unexpected<base::Error> no_rate(std::string flag, double rate_rps, std::string_view or_else) {
  return base::bad_input(std::move(flag), fmt::format("a rate of {:g} requests a second", rate_rps),
                         fmt::format("from {:.6f} to {:.0f}{}", kSlowestRps, kFastestRps, or_else));
}

base::Status check(const ArrivalOptions& options) {
  const bool infinite = options.rate_rps == std::numeric_limits<double>::infinity();
  if (!infinite && !in_bounds(options.rate_rps)) {
    return no_rate("--request-rate", options.rate_rps, ", or inf");
  }
  if (!(options.burstiness > 0)) {
    return base::bad_input("--burstiness", fmt::format("{} is not a shape", options.burstiness),
                           "a number above 0: 1 is Poisson, inf is constant");
  }
  if ((infinite ? 0 : 1) + (options.ramp ? 1 : 0) + (options.stages.empty() ? 0 : 1) > 1) {
    return base::bad_input("--request-rate", "more than one schedule is given",
                           "one of --request-rate, --ramp-up-strategy and --stages");
  }
  return {};
}

base::Result<RateCurve> curve_of(const Ramp& ramp, std::optional<std::int64_t> count) {
  const bool from_nothing = ramp.start_rps == 0 && !ramp.exponential;
  if (!from_nothing && !in_bounds(ramp.start_rps)) {
    return no_rate("--ramp-up-start-rps", ramp.start_rps, ramp.exponential ? "" : ", or 0");
  }
  if (!in_bounds(ramp.end_rps)) {
    return no_rate("--ramp-up-end-rps", ramp.end_rps, "");
  }
  RatePiece piece{1, ramp.start_rps, ramp.end_rps, ramp.exponential};
  if (ramp.over) {
    piece.duration_s = base::to_seconds(*ramp.over);
  } else if (count) {
    piece.duration_s = ramp_duration_s(piece, static_cast<double>(*count));
  } else {
    return base::bad_input("--ramp-up-strategy", "neither a number of requests nor a time is given",
                           "--num-prompts or --duration");
  }
  const double latest_s = base::to_seconds(kLatestDue);
  piece.duration_s = std::clamp(piece.duration_s, 1e-9, latest_s);
  return RateCurve({piece, {.from_rps = ramp.end_rps, .to_rps = ramp.end_rps}});
}

}  // namespace

base::Result<Arrivals> Arrivals::create(const ArrivalOptions& options, base::Random random,
                                        std::optional<std::int64_t> count) {
  if (const auto ok = check(options); !ok) {
    return tl::unexpected(ok.error());
  }
  if (options.ramp) {
    return curve_of(*options.ramp, count).map([&](RateCurve curve) {
      return Arrivals(options.burstiness, std::move(curve), random);
    });
  }
  std::optional<RateCurve> curve;
  if (!options.stages.empty()) {
    curve.emplace(options.stages);
  } else if (std::isfinite(options.rate_rps)) {
    curve.emplace(
        std::vector<RatePiece>{{.from_rps = options.rate_rps, .to_rps = options.rate_rps}});
  }
  return Arrivals(options.burstiness, std::move(curve), random);
}

Arrivals::Arrivals(double burstiness, std::optional<RateCurve> curve, base::Random random)
    : burstiness_(burstiness), curve_(std::move(curve)), random_(random) {}

double Arrivals::gap() {
  if (std::isinf(burstiness_)) {
    return first_ ? 0 : 1;
  }
  return burstiness_ == 1 ? random_.exponential() : random_.gamma(burstiness_) / burstiness_;
}

std::optional<base::Nanos> Arrivals::next() {
  if (!curve_) {
    return 0;
  }
  expected_ += gap();
  first_ = false;
  const auto due_s = curve_->reached_at(expected_);
  if (!due_s) {
    return std::nullopt;
  }
  return *due_s < base::to_seconds(kLatestDue) ? base::from_seconds(*due_s) : kLatestDue;
}

}  // namespace steelyard::workload
