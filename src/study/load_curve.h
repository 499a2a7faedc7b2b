// What a sweep or a search found out of how an endpoint answers to load: the loads of one input
// length in order, the frontier of what it can give all users and one user at once, and the knee.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "measure/knee.h"
#include "study/step.h"

namespace steelyard::study {

// Steps are named by their index.
struct LoadCurve {
  std::optional<std::int64_t> input_len;  // where it was swept
  // In order of load, each load once: of those measured more than once the one that settled, and of
  // those the longest.
  std::vector<std::size_t> steps;
  // Those that no other beats: in output tokens a second of all users or of one user it would have
  // to be surely better (the 95 % intervals are apart), and in the other not surely worse. In order
  // of load; a step that lacks either figure is not on it.
  std::vector<std::size_t> frontier;
  measure::Knee knee;  // of steps

  [[nodiscard]] bool on_frontier(std::size_t step) const;
  // Where there is one.
  [[nodiscard]] std::optional<std::size_t> knee_step() const;
};

// In order of input length.
[[nodiscard]] std::vector<LoadCurve> curves_of(std::span<const StepResult> steps);

// What is known of its knee, in words. `steps` are those that it names.
[[nodiscard]] Reason knee_text(const LoadCurve& curve, std::span<const StepResult> steps);

}  // namespace steelyard::study
