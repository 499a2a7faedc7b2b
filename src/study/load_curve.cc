#include "study/load_curve.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <utility>

#include "base/text.h"

namespace steelyard::study {
namespace {

using Answer = measure::Knee::Answer;

// One step of each load, in order of load.
std::vector<std::size_t> best_measured(std::span<const StepResult> steps,
                                       std::optional<std::int64_t> input_len) {
  std::map<double, std::size_t> of_load;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    if (steps[i].load.input_len != input_len) {
      continue;
    }
    const auto [at, fresh] = of_load.try_emplace(steps[i].load.value, i);
    const StepResult& held = steps[at->second];
    if (!fresh &&
        std::pair(steps[i].settled, steps[i].window) >= std::pair(held.settled, held.window)) {
      at->second = i;
    }
  }
  std::vector<std::size_t> chosen;
  chosen.reserve(of_load.size());
  for (const auto& [load, step] : of_load) {
    chosen.push_back(step);
  }
  return chosen;
}

struct Bounds {
  double low = 0;
  double high = std::numeric_limits<double>::infinity();

  [[nodiscard]] bool surely_above(const Bounds& other) const { return low > other.high; }
};

// Output tokens a second of all users and of one.
struct Point {
  std::size_t step;
  Bounds all;
  Bounds user;
};

std::optional<Point> point_of(const StepResult& step, std::size_t index) {
  const auto& all = step.flow.output_tokens_per_s;
  const auto& tpot = step.summary.tpot_ms.p50;
  if (!all || !tpot || tpot->value <= 0) {
    return std::nullopt;
  }
  Point point{index, {}, {}};
  point.all.low = all->low().value_or(point.all.low);
  point.all.high = all->high().value_or(point.all.high);
  point.user.low = tokens_per_s(tpot->high).value_or(point.user.low);
  point.user.high = tokens_per_s(tpot->low).value_or(point.user.high);
  return point;
}

bool beats(const Point& a, const Point& b) {
  return !b.all.surely_above(a.all) && !b.user.surely_above(a.user) &&
         (a.all.surely_above(b.all) || a.user.surely_above(b.user));
}

std::vector<std::size_t> frontier_of(std::span<const std::size_t> chosen,
                                     std::span<const StepResult> steps) {
  std::vector<Point> points;
  for (const std::size_t i : chosen) {
    if (const auto point = point_of(steps[i], i)) {
      points.push_back(*point);
    }
  }
  std::vector<std::size_t> frontier;
  for (const Point& point : points) {
    if (std::ranges::none_of(points, [&](const Point& other) { return beats(other, point); })) {
      frontier.push_back(point.step);
    }
  }
  return frontier;
}

// There is no smaller one.
bool is_least(const Load& load) { return !load.open_loop() && load.value <= 1; }

measure::Knee knee_among(std::span<const std::size_t> chosen, std::span<const StepResult> steps) {
  std::vector<std::size_t> known;
  std::vector<measure::Estimate> powers;
  for (const std::size_t i : chosen) {
    if (const auto& power = steps[i].flow.power) {
      known.push_back(i);
      powers.push_back(*power);
    }
  }
  const bool from_least = !known.empty() && is_least(steps[known.front()].load);
  measure::Knee knee = measure::knee_of(powers, from_least);
  for (std::optional<std::size_t>* place : {&knee.best, &knee.above, &knee.below}) {
    if (*place) {
      *place = known[**place];
    }
  }
  return knee;
}

std::string load_text(const StepResult& step) {
  return to_text(Load{step.load.kind, step.load.value, {}});
}

std::string number_of(const StepResult& step) { return fmt::format("{:.4g}", step.load.value); }

Reason found_text(const measure::Knee& knee, std::span<const StepResult> steps) {
  const std::string at = load_text(steps[*knee.best]);
  const std::string below = number_of(steps[*knee.below]);
  if (!knee.above) {
    return {fmt::format("{}, below {} (95 %)", at, below),
            fmt::format("{}，小于 {}（95 %）", at, below)};
  }
  const std::string above = number_of(steps[*knee.above]);
  return {fmt::format("{}, between {} and {} (95 %)", at, above, below),
          fmt::format("{}，介于 {} 与 {} 之间（95 %）", at, above, below)};
}

// The ends of what was tried, where they may be as good as the best.
std::vector<std::string> rivals(const LoadCurve& curve, std::span<const StepResult> steps) {
  std::vector<std::string> ends;
  if (!curve.knee.above && !is_least(steps[curve.steps.front()].load)) {
    ends.push_back(load_text(steps[curve.steps.front()]));
  }
  if (!curve.knee.below) {
    ends.push_back(load_text(steps[curve.steps.back()]));
  }
  return ends;
}

}  // namespace

bool LoadCurve::on_frontier(std::size_t step) const {
  return std::ranges::find(frontier, step) != frontier.end();
}

std::optional<std::size_t> LoadCurve::knee_step() const {
  return knee.answer == Answer::kFound ? knee.best : std::nullopt;
}

std::vector<LoadCurve> curves_of(std::span<const StepResult> steps) {
  std::map<std::optional<std::int64_t>, LoadCurve> curves;
  for (const StepResult& step : steps) {
    curves[step.load.input_len].input_len = step.load.input_len;
  }
  std::vector<LoadCurve> result;
  for (auto& [input_len, curve] : curves) {
    curve.steps = best_measured(steps, input_len);
    curve.frontier = frontier_of(curve.steps, steps);
    curve.knee = knee_among(curve.steps, steps);
    result.push_back(std::move(curve));
  }
  return result;
}

Reason knee_text(const LoadCurve& curve, std::span<const StepResult> steps) {
  const measure::Knee& knee = curve.knee;
  const auto end = [&](std::size_t step) { return load_text(steps[step]); };
  switch (knee.answer) {
    case Answer::kFound:
      return found_text(knee, steps);
    case Answer::kTooFewLoads:
      return {fmt::format(
                  "not known: {} were measured, and it takes {} at least",
                  curve.steps.size() == 1 ? "1 load" : fmt::format("{} loads", curve.steps.size()),
                  measure::kFewestLoads),
              fmt::format("未知：测得 {} 个负载，至少需要 {} 个", curve.steps.size(),
                          measure::kFewestLoads)};
    case Answer::kStillRising:
      return {fmt::format("not reached: {}, the largest load, still buys more throughput than it "
                          "costs in waiting; try larger ones",
                          end(*knee.best)),
              fmt::format("未达到：最大负载 {} 增加的吞吐仍多于增加的等待；请试更大的负载",
                          end(*knee.best))};
    case Answer::kFalling:
      return {
          fmt::format("not seen: {}, the smallest load, is beyond it or at it; try smaller ones",
                      end(*knee.best)),
          fmt::format("未见到：最小负载 {} 已达到或超过拐点；请试更小的负载", end(*knee.best))};
    case Answer::kNotToldApart:
      break;
  }
  const auto ends = rivals(curve, steps);
  return {fmt::format("not sure: {} looks best, but {} may be as good; longer steps or loads "
                      "further out would tell",
                      end(*knee.best), base::join(ends, " or ")),
          fmt::format("不确定：{} 看来最佳，但 {} 可能同样好；请加长每步或扩大负载范围",
                      end(*knee.best), base::join(ends, " 或 "))};
}

}  // namespace steelyard::study
