#include "measure/samples.h"

#include <algorithm>
#include <cmath>

#include "base/check.h"

namespace steelyard::measure {
namespace {

constexpr int kAddsBeforeSettling = 256;

// Rounded; none is negative but by a fault of the clock, and counts as 0 there. Half of one is put
// to it by hand: std::llround is a call, and this is done for every token.
base::Nanos whole(double value_ns) {
  constexpr double kHalf = 0.5;
  const double raised = value_ns + kHalf;
  return static_cast<base::Nanos>(raised);
}

}  // namespace

void Samples::add(double value_ns, std::uint32_t times) {
  if (times == 0) {
    return;
  }
  if (count_ == 0) {
    least_ = largest_ = origin_ = value_ns;
  }
  least_ = std::min(least_, value_ns);
  largest_ = std::max(largest_, value_ns);
  count_ += times;
  const double weight = times;
  const double off = value_ns - origin_;
  pending_n_ += weight;
  pending_sum_ += weight * off;
  pending_squares_ += weight * off * off;
  if (++pending_adds_ == kAddsBeforeSettling) {
    settle();
  }
  if (!spilled_ && static_cast<std::size_t>(count_) > kMostExact) {
    spill();
  }
  if (spilled_) {
    spilled_->record(whole(value_ns), times);
  } else {
    values_.insert(values_.end(), times, value_ns);
  }
}

void Samples::settle() {
  settled_ = moments();
  origin_ = settled_.mean;
  pending_adds_ = 0;
  pending_n_ = pending_sum_ = pending_squares_ = 0;
}

Moments Samples::moments() const {
  Moments all = settled_;
  if (pending_n_ > 0) {
    const double mean_off = pending_sum_ / pending_n_;
    const double squares = pending_squares_ - pending_sum_ * mean_off;
    all.merge({pending_n_, origin_ + mean_off, std::max(squares, 0.0)});
  }
  return all;
}

void Samples::spill() {
  spilled_.emplace();
  for (const double value : values_) {
    spilled_->record(whole(value));
  }
  values_ = {};
}

void Samples::merge(const Samples& other) {
  if (other.count_ == 0) {
    return;
  }
  least_ = count_ == 0 ? other.least_ : std::min(least_, other.least_);
  largest_ = count_ == 0 ? other.largest_ : std::max(largest_, other.largest_);
  settle();
  settled_.merge(other.moments());
  origin_ = settled_.mean;
  count_ += other.count_;
  if (!spilled_ && (other.spilled_ || static_cast<std::size_t>(count_) > kMostExact)) {
    spill();
  }
  if (!spilled_) {
    values_.insert(values_.end(), other.values_.begin(), other.values_.end());
    return;
  }
  if (other.spilled_) {
    spilled_->merge(*other.spilled_);
  }
  for (const double value : other.values_) {
    spilled_->record(whole(value));
  }
}

Samples::Ranked::Ranked(const Samples& samples)
    : samples_(samples), size_(static_cast<std::size_t>(samples.count_)), sorted_(samples.values_) {
  std::sort(sorted_.begin(), sorted_.end());
}

double Samples::Ranked::at(std::size_t rank) const {
  STEELYARD_CHECK(rank >= 1 && rank <= size_, "a rank is one of the samples'");
  if (!samples_.spilled_) {
    return sorted_[rank - 1];
  }
  if (rank == 1 || rank == size_) {
    return rank == 1 ? samples_.least_ : samples_.largest_;
  }
  const auto value = static_cast<double>(samples_.spilled_->at_rank(rank));
  return std::clamp(value, samples_.least_, samples_.largest_);
}

}  // namespace steelyard::measure
