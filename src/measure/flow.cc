#include "measure/flow.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <vector>

namespace steelyard::measure {
namespace {

constexpr double kTimesInSystem = 2;  // a stretch is so long, at least
constexpr std::size_t kFewest = 4;
constexpr std::size_t kMost = 10;

// What a window holds, or a stretch of it. Additive.
struct Sums {
  double seconds = 0;
  double answers = 0;
  double tokens = 0;
  double held_s = 0;  // request-seconds
  double completed = 0;
  double failed = 0;

  Sums operator-(const Sums& part) const {
    return {seconds - part.seconds, answers - part.answers,     tokens - part.tokens,
            held_s - part.held_s,   completed - part.completed, failed - part.failed};
  }
  Sums operator+(const Sums& part) const {
    return {seconds + part.seconds, answers + part.answers,     tokens + part.tokens,
            held_s + part.held_s,   completed + part.completed, failed + part.failed};
  }
};

double overlap_s(base::Nanos from, base::Nanos to, base::Nanos a, base::Nanos b) {
  return base::to_seconds(std::max<base::Nanos>(std::min(to, b) - std::max(from, a), 0));
}

// The part of the answer that came within [a, b).
double share_within(const Passage& passage, base::Nanos a, base::Nanos b) {
  if (passage.end_at > passage.first_at) {
    return overlap_s(passage.first_at, passage.end_at, a, b) /
           base::to_seconds(passage.end_at - passage.first_at);
  }
  return passage.end_at >= a && passage.end_at < b ? 1 : 0;
}

void add(Sums& sums, const Passage& passage, base::Nanos a, base::Nanos b) {
  sums.held_s += overlap_s(passage.due_at, passage.end_at, a, b);
  const bool ends = passage.end_at >= a && passage.end_at < b;
  if (!passage.completed) {
    sums.failed += ends ? 1 : 0;
    return;
  }
  const double share = share_within(passage, a, b);
  sums.completed += ends ? 1 : 0;
  sums.answers += share;
  sums.tokens += share * static_cast<double>(passage.output_tokens);
}

std::vector<Sums> stretches_of(std::span<const Passage> passages, base::Nanos from, base::Nanos to,
                               std::size_t count) {
  std::vector<Sums> stretches(count);
  const auto n = static_cast<base::Nanos>(count);
  const auto begin_of = [&](base::Nanos i) { return from + (to - from) * i / n; };
  for (base::Nanos i = 0; i < n; ++i) {
    stretches[static_cast<std::size_t>(i)].seconds =
        base::to_seconds(begin_of(i + 1) - begin_of(i));
  }
  for (const Passage& passage : passages) {
    const base::Nanos into = std::max<base::Nanos>(passage.due_at - from, 0);
    base::Nanos i = std::max<base::Nanos>(into * n / (to - from) - 1, 0);
    for (; i < n && begin_of(i) <= passage.end_at; ++i) {
      add(stretches[static_cast<std::size_t>(i)], passage, begin_of(i), begin_of(i + 1));
    }
  }
  return stretches;
}

double power_of(const Sums& sums) {
  const double ended = sums.completed + sums.failed;
  const double completed = ended > 0 ? sums.completed / ended : 1;
  return sums.answers * sums.answers * completed / (sums.seconds * sums.held_s);
}

using Figure = std::function<double(const Sums&)>;

// Leaving out each stretch in turn. Without a spread where what is left gives no figure.
Estimate jackknife(std::span<const Sums> stretches, const Sums& all, const Figure& figure) {
  const auto n = static_cast<double>(stretches.size());
  Estimate estimate{figure(all), {}, n - 1};
  std::vector<double> without;
  double mean = 0;
  for (const Sums& stretch : stretches) {
    without.push_back(std::log(figure(all - stretch)));
    mean += without.back() / n;
  }
  double squares = 0;
  for (const double one : without) {
    squares += (one - mean) * (one - mean);
  }
  if (std::isfinite(squares)) {
    estimate.spread = std::sqrt((n - 1) / n * squares);
  }
  return estimate;
}

Sums total(std::span<const Sums> stretches) {
  Sums all;
  for (const Sums& stretch : stretches) {
    all = all + stretch;
  }
  return all;
}

}  // namespace

Flow flow_of(std::span<const Passage> passages, base::Nanos from, base::Nanos to) {
  if (to <= from) {
    return {};
  }
  const Sums all = total(stretches_of(passages, from, to, 1));
  if (all.held_s <= 0) {
    return {};
  }
  Flow flow;
  if (all.failed > 0 && all.completed == 0) {
    flow.power = Estimate{};
    return flow;
  }
  if (all.answers <= 0) {
    return flow;
  }
  const double in_system_s = all.held_s / all.answers;
  const double fit = all.seconds / (kTimesInSystem * in_system_s);
  const auto count = static_cast<std::size_t>(
      std::clamp(fit, static_cast<double>(kFewest), static_cast<double>(kMost)));
  const std::vector<Sums> stretches = stretches_of(passages, from, to, count);
  const auto estimate = [&](const Figure& figure) { return jackknife(stretches, all, figure); };
  flow.answers_per_s = estimate([](const Sums& sums) { return sums.answers / sums.seconds; });
  if (all.tokens > 0) {
    flow.output_tokens_per_s =
        estimate([](const Sums& sums) { return sums.tokens / sums.seconds; });
  }
  flow.power = estimate(power_of);
  return flow;
}

}  // namespace steelyard::measure
