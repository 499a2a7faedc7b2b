#include "study/bracket.h"

#include <algorithm>
#include <cmath>

namespace steelyard::study {

std::optional<double> Bracket::least_missed() const {
  const auto missed =
      std::ranges::find(met_, false, [](const auto& tried) { return tried.second; });
  return missed == met_.end() ? std::nullopt : std::optional(missed->first);
}

std::optional<double> Bracket::best() const {
  std::optional<double> best;
  for (const auto& [load, met] : met_) {
    if (!met) {
      break;
    }
    best = load;
  }
  return best;
}

bool Bracket::confirmed() const { return confirmed_ && confirmed_ == best(); }

double Bracket::rounded(double load) const { return range_.whole ? std::round(load) : load; }

// Absent: they are near enough.
std::optional<double> Bracket::between(double low, double high) const {
  if (high / low <= 1 + range_.resolution) {
    return std::nullopt;
  }
  const double middle = rounded(std::sqrt(low * high));
  return middle > low && middle < high ? std::optional(middle) : std::nullopt;
}

std::optional<Bracket::Next> Bracket::next() const {
  const auto low = best();
  const auto high = least_missed();
  if (!low && !high) {
    return Next{rounded(range_.from), Phase::kScreen};
  }
  if (!low) {
    const double half = range_.whole ? std::floor(*high / 2) : *high / 2;
    return *high > range_.least ? std::optional(Next{std::max(range_.least, half), Phase::kMeasure})
                                : std::nullopt;
  }
  if (!high && *low < range_.most) {
    return Next{std::min(range_.most, rounded(*low * 2)), Phase::kScreen};
  }
  if (high) {
    if (const auto middle = between(*low, *high)) {
      return Next{*middle, Phase::kMeasure};
    }
  }
  return confirmed() ? std::nullopt : std::optional(Next{*low, Phase::kConfirm});
}

void Bracket::take(const Next& tried, bool met) {
  met_[tried.load] = met;
  if (!met) {
    // What met it above a load that did not was luck.
    met_.erase(met_.upper_bound(tried.load), met_.end());
  }
  if (tried.phase == Phase::kConfirm && met) {
    confirmed_ = tried.load;
  }
}

}  // namespace steelyard::study
