#include "study/step_meter.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "measure/drift.h"
#include "measure/request_metrics.h"

namespace steelyard::study {
namespace {

using measure::RequestLog;

constexpr std::int64_t kSettleMedians = 3;
constexpr std::int64_t kLeastMedians = 3;
constexpr base::Nanos kSettleLeast = base::kSecond / 2;
constexpr std::int64_t kScreenRequests = 10;
// Over capacity: so much of what arrives piles up, and luck would do that this rarely.
constexpr double kPilesUp = 0.02;
constexpr double kSureChance = 0.01;
constexpr double kSuspiciousChance = 0.15;
constexpr int kStretches = 10;
constexpr base::Nanos kJudgeEvery = base::kSecond / 10;
constexpr double kSmallest = 1e-12;  // as a percentile

std::string percent(double share) { return fmt::format("{:.4g} %", 100 * share); }

}  // namespace

std::string to_text(const Load& load) {
  const std::string asked = load.open_loop()
                                ? fmt::format("{:.4g} req/s", load.value)
                                : fmt::format("concurrency {}", std::llround(load.value));
  return load.input_len ? fmt::format("{}, {} tok in", asked, *load.input_len) : asked;
}

std::string_view name_of(StepVerdict verdict) {
  switch (verdict) {
    case StepVerdict::kMeets:
      return "meets";
    case StepVerdict::kMisses:
      return "misses";
    case StepVerdict::kUndecided:
      return "undecided";
    case StepVerdict::kNotAsked:
      break;
  }
  return "not asked";
}

StepMeter::StepMeter(const Load& load, const Sla& sla, const StepRules& rules)
    : load_(load),
      sla_(sla),
      rules_(rules),
      limits_(limits_of(sla)),
      tests_(sla, rules.confidence),
      figures_(sla) {}

void StepMeter::begin(base::Nanos at) {
  if (flow_.began_at() == 0 || (ended_ == 0 && at != flow_.began_at())) {
    flow_.begin(at);
  }
}

void StepMeter::ended(const RequestLog& log) {
  ++ended_;
  e2e_.record(log.end_at.value_or(log.sent_at) - log.sent_at);
  const measure::RequestMetrics metrics = measure::metrics_of(log);
  if (metrics.ttft) {
    ttft_.record(*metrics.ttft);
  }
  flow_.ended(log, metrics);
  if (flow_.counts(log.sent_at)) {
    tests_.add(log, metrics);
    figures_.add(log, metrics);
  }
}

void StepMeter::settle_if_quiet(base::Nanos now) {
  const auto median = median_e2e();
  const base::Nanos began = flow_.began_at();
  const base::Nanos elapsed = now - began;
  if (!median) {
    return;
  }
  bool quiet = elapsed >= std::max(kSettleLeast, kSettleMedians * *median);
  base::Nanos at_most = rules_.most / 2;
  if (load_.open_loop()) {
    const double before = flow_.mean_out_between(began + elapsed / 3, began + 2 * elapsed / 3);
    const double lately = flow_.mean_out_between(began + 2 * elapsed / 3, now);
    quiet = quiet && lately <= before + std::sqrt(before) + 1;
    at_most = std::max(rules_.least, 10 * e2e_.percentile(kSmallest).value_or(0));
  } else {
    quiet = quiet && static_cast<double>(ended_) >= load_.value;
  }
  // What does not settle is measured as it is: it may be over capacity.
  if (quiet || elapsed >= at_most) {
    flow_.settle(now);
    figures_ = EndpointFigures(sla_);
    tests_ = SlaTests(sla_, rules_.confidence);
  }
}

const std::optional<Finding>& StepMeter::look(base::Nanos now, std::int64_t out) {
  if (finding_ || flow_.began_at() == 0) {
    return finding_;
  }
  flow_.saw(now, out);
  if (now - judged_at_ < kJudgeEvery) {
    return finding_;
  }
  judged_at_ = now;
  if (!settled()) {
    settle_if_quiet(now);
  } else if (rules_.whole && now - *flow_.settled_at() < figures_length()) {
    return finding_;
  } else if (auto found = judge(now)) {
    finding_ = std::move(found);
    flow_.close(now);
  }
  return finding_;
}

std::optional<Finding> StepMeter::growing(base::Nanos now, double chance) const {
  if (!load_.open_loop() || !std::isfinite(load_.value)) {
    return std::nullopt;
  }
  std::vector<double> means;
  means.reserve(kStretches);
  const base::Nanos since = *flow_.settled_at();
  const base::Nanos measured = now - since;
  for (int i = 0; i < kStretches; ++i) {
    means.push_back(flow_.mean_out_between(since + measured * i / kStretches,
                                           since + measured * (i + 1) / kStretches));
  }
  const auto drift = measure::drift_of(means);
  const double piles_up =
      drift ? drift->per_stretch * kStretches / (base::to_seconds(measured) * load_.value) : 0;
  if (!drift || drift->chance >= chance || piles_up < kPilesUp) {
    return std::nullopt;
  }
  const std::string share = percent(piles_up);
  return Finding{StepVerdict::kMisses,
                 false,
                 true,
                 {fmt::format("over capacity: the number out grew from {:.3g} to {:.3g}, by {} of "
                              "what arrived",
                              means.front(), means.back(), share),
                  fmt::format("超出容量：在途请求数由 {:.3g} 增至 {:.3g}，相当于到达量的 {}",
                              means.front(), means.back(), share)}};
}

base::Nanos StepMeter::most_length() const {
  constexpr std::int64_t kMostMedians = 5;
  return std::clamp(kMostMedians * median_e2e().value_or(0), rules_.most, 3 * rules_.most);
}

// What figures need, whatever the verdict.
base::Nanos StepMeter::figures_length() const {
  return std::min(std::max(rules_.least, kLeastMedians * median_e2e().value_or(0)), most_length());
}

// Until an overload has made the last third of the requests late, where their limits bound waiting.
base::Nanos StepMeter::least_length() const {
  base::Nanos least = figures_length();
  if (load_.open_loop() && !rules_.screening) {
    base::Nanos slack = 0;
    if (limits_.e2e) {
      slack = *limits_.e2e - e2e_.percentile(kSmallest).value_or(0);
    }
    if (limits_.ttft) {
      const base::Nanos left = *limits_.ttft - ttft_.percentile(kSmallest).value_or(0);
      slack = limits_.e2e ? std::min(slack, left) : left;
    }
    const double needed = 1.5 * static_cast<double>(slack) / rules_.overload;
    least = std::max(least, static_cast<base::Nanos>(needed));
  }
  return std::min(least, most_length());
}

// The last third is worse than the target and luck allow for.
bool StepMeter::lately_worse(base::Nanos now) const {
  return tests_.worse_since(now - (now - *flow_.settled_at()) / 3);
}

std::optional<Finding> StepMeter::judge(base::Nanos now) const {
  const base::Nanos measured = now - *flow_.settled_at();
  const base::Nanos least = least_length();
  const base::Nanos most = most_length();
  const bool asked = tests_.asked();
  if (auto miss = tests_.missed()) {
    return Finding{StepVerdict::kMisses, false, false, std::move(*miss)};
  }
  if (measured >= least / 2 && asked) {
    if (auto grows = growing(now, kSureChance)) {
      return grows;
    }
  }
  const auto n = figures_.run.due();
  if (measured < least || (n < rules_.least_requests && measured < most && !rules_.screening)) {
    return std::nullopt;
  }
  if (!asked) {
    return Finding{StepVerdict::kNotAsked, false, growing(now, kSureChance).has_value(), {}};
  }
  const bool suspicious = lately_worse(now) || growing(now, kSuspiciousChance).has_value();
  if (!suspicious && tests_.all_reached()) {
    return Finding{StepVerdict::kMeets, true, false, tests_.shares()};
  }
  const bool leans = tests_.leans_met() && !suspicious;
  if ((rules_.screening && leans && n >= kScreenRequests) || measured >= most) {
    return Finding{StepVerdict::kUndecided, leans, false, tests_.shares()};
  }
  return std::nullopt;
}

Finding StepMeter::conclude(base::Nanos now, const Reason& why) {
  if (finding_) {
    return *finding_;
  }
  flow_.close(now);
  if (!tests_.asked()) {
    finding_ = Finding{StepVerdict::kNotAsked, false, false, why};
  } else if (!settled()) {
    finding_ = Finding{StepVerdict::kUndecided,
                       tests_.leans_met(),
                       false,
                       {why.text_en + " before it settled", why.text_zh + "，尚未稳定"}};
  } else if (auto found = judge(now)) {
    finding_ = std::move(found);
  } else {
    const Reason seen = tests_.shares();
    finding_ = Finding{StepVerdict::kUndecided,
                       tests_.leans_met(),
                       false,
                       {why.text_en + "; " + seen.text_en, why.text_zh + "；" + seen.text_zh}};
  }
  return *finding_;
}

}  // namespace steelyard::study
