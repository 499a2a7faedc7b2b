// Does at least a share of the requests meet a limit? Asked after every request, and answered as
// soon as the requests seen so far allow it: a fixed-size test that is looked at again and again
// until it says what one hopes for is wrong far more often than it claims.
//
// Each hypothesis is tested by the mixture of likelihood ratios against its edge, over a beta prior
// cut off at the target (Robbins, Statistical methods related to the law of the iterated logarithm,
// Ann. Math. Statist. 41, 1970). Under the hypothesis the mixture is a supermartingale that begins
// at 1, so that it ever reaches 1/alpha with a probability of at most alpha (Ville 1939). Requests
// are taken as independent.
#pragma once

#include <cstdint>
#include <optional>

#include "measure/attainment.h"

namespace steelyard::measure {

class ShareTest {
 public:
  enum class Answer : std::uint8_t { kOpen, kReached, kMissed };
  // target in (0, 1]; alpha in (0, 1): the most that either answer may be wrong in. That all
  // requests meet a limit is shown by no number of them: with a target of 1 none is reached.
  ShareTest(double target, double alpha);
  void add(bool met) { ++(met ? met_ : missed_); }
  // At any time, as often as wanted.
  [[nodiscard]] Answer answer() const;
  [[nodiscard]] std::int64_t met() const { return met_; }
  [[nodiscard]] std::int64_t due() const { return met_ + missed_; }
  [[nodiscard]] double target() const { return target_; }
  // Whether the share seen so far is the target or more, sure or not.
  [[nodiscard]] bool leans_reached() const;

 private:
  double target_;
  double log_threshold_;
  std::int64_t met_ = 0;
  std::int64_t missed_ = 0;
};

// An interval for the share that holds at every number of requests at once, so that it may be read
// off whenever a run stopped, and for whatever reason: the shares against which the mixture over
// Jeffreys' prior has not reached 1 / (1 - confidence). Absent when nothing was due.
[[nodiscard]] std::optional<ShareInterval> anytime_interval(std::int64_t met, std::int64_t due,
                                                            double confidence = 0.95);

}  // namespace steelyard::measure
