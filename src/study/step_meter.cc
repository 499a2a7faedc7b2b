#include "study/step_meter.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "measure/drift.h"
#include "measure/request_metrics.h"

namespace steelyard::study {
namespace {

using measure::Outcome;
using measure::RequestLog;
using measure::ShareTest;
using quantity::SlaTerm;

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

std::optional<double> value_of(const SlaTerm& term, const RequestLog& log,
                               const measure::RequestMetrics& metrics) {
  const auto ns = [](const std::optional<base::Nanos>& value) {
    return value ? std::optional(static_cast<double>(*value)) : std::nullopt;
  };
  switch (term.metric) {
    case quantity::Metric::kTtft:
      return ns(metrics.ttft);
    case quantity::Metric::kTtfo:
      return ns(metrics.ttfo);
    case quantity::Metric::kTpot:
      return metrics.tpot_ns;
    case quantity::Metric::kE2e:
      return ns(metrics.e2e);
    case quantity::Metric::kItl:
      break;
  }
  double sum = 0;
  double tokens = 0;
  measure::for_each_gap(log, [&](base::Nanos gap, std::uint32_t of) {
    sum += static_cast<double>(gap);
    tokens += of;
  });
  return tokens > 0 ? std::optional(sum / tokens) : std::nullopt;
}

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

std::optional<double> StepMeter::Mean::margin() const {
  constexpr double kZ = 2.576;
  if (seen.n < 20) {
    return std::nullopt;
  }
  return kZ * *seen.deviation() / std::sqrt(seen.n);
}

StepMeter::StepMeter(const Load& load, const Sla& sla, const StepRules& rules)
    : load_(load), sla_(sla), rules_(rules), limits_(limits_of(sla)), figures_(sla) {
  add_terms(sla);
}

// Each percentile term has a share of its own; the per-request terms have one all together. That
// one of several misses may be found in error for each of them, so they divide the chance of it.
void StepMeter::add_terms(const Sla& sla) {
  std::vector<SlaTerm> each;
  std::vector<SlaTerm> own;
  for (const SlaTerm& term : sla.terms) {
    if (term.statistic == SlaTerm::Statistic::kMean) {
      means_.push_back({term});
    } else {
      (term.statistic == SlaTerm::Statistic::kEach ? each : own).push_back(term);
    }
  }
  const double tests = static_cast<double>(own.size()) + (each.empty() ? 0 : 1);
  const double alpha = (1 - rules_.confidence) / std::max(tests, 1.0);
  for (const SlaTerm& term : own) {
    shares_.push_back({to_text(term), limits_of({{term}, 1}), ShareTest(*term.target(), alpha)});
  }
  if (!each.empty()) {
    std::string text;
    for (const SlaTerm& term : each) {
      text += (text.empty() ? "" : ", ") + to_text(term);
    }
    shares_.push_back({text, limits_of({each, 1}), ShareTest(sla.target, alpha)});
  }
}

void StepMeter::begin(base::Nanos at) {
  if (began_ == 0 || (ended_ == 0 && at != began_)) {
    began_ = at;
    samples_.clear();
  }
}

void StepMeter::ended(const RequestLog& log) {
  ++ended_;
  const base::Nanos end = log.end_at.value_or(log.sent_at);
  e2e_.record(end - log.sent_at);
  const measure::RequestMetrics metrics = measure::metrics_of(log);
  if (metrics.ttft) {
    ttft_.record(*metrics.ttft);
  }
  const bool in_window = !found_at_ || end <= *found_at_;
  if (in_window) {
    completed_ += log.outcome == Outcome::kCompleted ? 1 : 0;
  }
  count_tokens(log);
  if (settled_at_ && log.sent_at < *settled_at_) {
    return;
  }
  sent_ += !found_at_ || log.sent_at <= *found_at_ ? 1 : 0;
  Mark mark{log.sent_at, 0};
  for (std::size_t i = 0; i < shares_.size(); ++i) {
    const bool met = measure::meets(log, metrics, shares_[i].limits);
    shares_[i].test.add(met);
    mark.missed |= met ? 0U : std::uint64_t{1} << std::min<std::size_t>(i, 63);
  }
  marks_.push_back(mark);
  for (Mean& mean : means_) {
    if (const auto value = value_of(mean.term, log, metrics)) {
      mean.seen.merge({1, *value, 0});
    }
  }
  figures_.add(log, metrics);
}

// An even share of the answer's tokens for each of its chunks that came within the window.
void StepMeter::count_tokens(const RequestLog& log) {
  if (!log.output_tokens) {
    return;
  }
  std::int64_t all = 0;
  std::int64_t within = 0;
  for (const measure::ChunkEvent& chunk : log.chunks) {
    if (measure::bears_tokens(chunk)) {
      ++all;
      within += (!settled_at_ || chunk.at >= *settled_at_) && (!found_at_ || chunk.at <= *found_at_)
                    ? 1
                    : 0;
    }
  }
  if (all > 0) {
    tokens_known_ = true;
    tokens_ += static_cast<double>(*log.output_tokens) * static_cast<double>(within) /
               static_cast<double>(all);
  }
}

double StepMeter::mean_out_between(base::Nanos from, base::Nanos to) const {
  const auto first = std::ranges::lower_bound(samples_, from, {}, &Sample::at);
  double sum = 0;
  double n = 0;
  for (auto sample = first; sample != samples_.end() && sample->at < to; ++sample) {
    sum += static_cast<double>(sample->out);
    ++n;
  }
  return n > 0 ? sum / n : 0;
}

void StepMeter::settle_if_quiet(base::Nanos now) {
  const auto median = median_e2e();
  const base::Nanos elapsed = now - began_;
  if (!median) {
    return;
  }
  bool quiet = elapsed >= std::max(kSettleLeast, kSettleMedians * *median);
  base::Nanos at_most = rules_.most / 2;
  if (load_.open_loop()) {
    const double before = mean_out_between(began_ + elapsed / 3, began_ + 2 * elapsed / 3);
    const double lately = mean_out_between(began_ + 2 * elapsed / 3, now);
    quiet = quiet && lately <= before + std::sqrt(before) + 1;
    at_most = std::max(rules_.least, 10 * e2e_.percentile(kSmallest).value_or(0));
  } else {
    quiet = quiet && static_cast<double>(ended_) >= load_.value;
  }
  // What does not settle is measured as it is: it may be over capacity.
  if (quiet || elapsed >= at_most) {
    settled_at_ = now;
    figures_ = EndpointFigures(sla_);
    marks_.clear();
    tokens_ = 0;
    completed_ = 0;
    sent_ = 0;
    shares_.clear();
    means_.clear();
    add_terms(sla_);
  }
}

const std::optional<Finding>& StepMeter::look(base::Nanos now, std::int64_t out) {
  if (finding_ || began_ == 0) {
    return finding_;
  }
  samples_.push_back({now, out});
  if (now - judged_at_ < kJudgeEvery) {
    return finding_;
  }
  judged_at_ = now;
  if (!settled_at_) {
    settle_if_quiet(now);
  } else if (auto found = judge(now)) {
    finding_ = std::move(found);
    found_at_ = now;
  }
  return finding_;
}

std::optional<Finding> StepMeter::missed() const {
  for (const Share& share : shares_) {
    if (share.test.answer() == ShareTest::Answer::kMissed) {
      return Finding{StepVerdict::kMisses, false, false, shares()};
    }
  }
  for (const Mean& mean : means_) {
    const auto margin = mean.margin();
    if (margin && mean.seen.mean - *margin >= static_cast<double>(mean.term.threshold)) {
      const std::string seen = fmt::format("{:.4g} ms", mean.seen.mean / 1e6);
      return Finding{StepVerdict::kMisses,
                     false,
                     false,
                     {fmt::format("{}: the mean is {}", to_text(mean.term), seen),
                      fmt::format("{}：均值为 {}", to_text(mean.term), seen)}};
    }
  }
  return std::nullopt;
}

std::optional<Finding> StepMeter::growing(base::Nanos now, double chance) const {
  if (!load_.open_loop() || !std::isfinite(load_.value)) {
    return std::nullopt;
  }
  std::vector<double> means;
  const base::Nanos measured = now - *settled_at_;
  for (int i = 0; i < kStretches; ++i) {
    means.push_back(mean_out_between(*settled_at_ + measured * i / kStretches,
                                     *settled_at_ + measured * (i + 1) / kStretches));
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

bool StepMeter::all_reached() const {
  const bool shares = std::ranges::all_of(shares_, [](const Share& share) {
    return share.test.answer() == ShareTest::Answer::kReached;
  });
  return shares && std::ranges::all_of(means_, [](const Mean& mean) {
           const auto margin = mean.margin();
           return margin && mean.seen.mean + *margin < static_cast<double>(mean.term.threshold);
         });
}

bool StepMeter::leans_met() const {
  const bool shares = std::ranges::all_of(shares_, [](const Share& share) {
    return share.test.due() > 0 && share.test.leans_reached();
  });
  return shares && std::ranges::all_of(means_, [](const Mean& mean) {
           return mean.seen.n > 0 && mean.seen.mean < static_cast<double>(mean.term.threshold);
         });
}

// The share that decides: the one furthest below its target.
Reason StepMeter::shares() const {
  const Share* least = nullptr;
  double lack = 0;
  for (const Share& share : shares_) {
    const double due = std::max(static_cast<double>(share.test.due()), 1.0);
    const double short_by = share.test.target() - static_cast<double>(share.test.met()) / due;
    if (least == nullptr || short_by > lack) {
      least = &share;
      lack = short_by;
    }
  }
  if (least == nullptr) {
    return {"the means are within their limits", "均值在限值之内"};
  }
  const std::int64_t met = least->test.met();
  const std::int64_t due = least->test.due();
  const std::string asked = percent(least->test.target());
  const std::string seen =
      due == 0 ? "-" : percent(static_cast<double>(met) / static_cast<double>(due));
  return {
      fmt::format("{}: {} of {} requests met it ({}), {} are asked for", least->text, met, due,
                  seen, asked),
      fmt::format("{}：{} 个请求中 {} 个达标（{}），要求 {}", least->text, due, met, seen, asked)};
}

base::Nanos StepMeter::most_length() const {
  constexpr std::int64_t kMostMedians = 5;
  return std::clamp(kMostMedians * median_e2e().value_or(0), rules_.most, 3 * rules_.most);
}

// Until an overload has made the last third of the requests late, where their limits bound waiting.
base::Nanos StepMeter::least_length() const {
  const base::Nanos median = median_e2e().value_or(0);
  base::Nanos least = std::max(rules_.least, kLeastMedians * median);
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

// Of those sent in the last third, more than luck allows for missed what they must meet.
bool StepMeter::lately_worse(base::Nanos now) const {
  const base::Nanos since = now - (now - *settled_at_) / 3;
  std::vector<double> missed(shares_.size());
  double due = 0;
  for (const Mark& mark : marks_) {
    if (mark.sent_at < since) {
      continue;
    }
    ++due;
    for (std::size_t i = 0; i < missed.size(); ++i) {
      missed[i] += (mark.missed >> std::min<std::size_t>(i, 63) & 1U) != 0 ? 1 : 0;
    }
  }
  for (std::size_t i = 0; i < missed.size(); ++i) {
    const double allowed = due * (1 - shares_[i].test.target());
    if (missed[i] > allowed + std::sqrt(allowed)) {
      return true;
    }
  }
  return false;
}

std::optional<Finding> StepMeter::judge(base::Nanos now) const {
  const base::Nanos measured = now - *settled_at_;
  const base::Nanos least = least_length();
  const base::Nanos most = most_length();
  const bool asked = !shares_.empty() || !means_.empty();
  if (auto miss = missed()) {
    return miss;
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
  if (!suspicious && all_reached()) {
    return Finding{StepVerdict::kMeets, true, false, shares()};
  }
  const bool leans = leans_met() && !suspicious;
  if ((rules_.screening && leans && n >= kScreenRequests) || measured >= most) {
    return Finding{StepVerdict::kUndecided, leans, false, shares()};
  }
  return std::nullopt;
}

Finding StepMeter::conclude(base::Nanos now, const Reason& why) {
  if (finding_) {
    return *finding_;
  }
  found_at_ = now;
  if (shares_.empty() && means_.empty()) {
    finding_ = Finding{StepVerdict::kNotAsked, false, false, why};
  } else if (!settled_at_) {
    finding_ = Finding{StepVerdict::kUndecided,
                       leans_met(),
                       false,
                       {why.text_en + " before it settled", why.text_zh + "，尚未稳定"}};
  } else if (auto found = judge(now)) {
    finding_ = std::move(found);
  } else {
    const Reason seen = shares();
    finding_ = Finding{StepVerdict::kUndecided,
                       leans_met(),
                       false,
                       {why.text_en + "; " + seen.text_en, why.text_zh + "；" + seen.text_zh}};
  }
  return *finding_;
}

base::Nanos StepMeter::window() const {
  const base::Nanos from = settled_at_.value_or(began_);
  const base::Nanos to = found_at_.value_or(samples_.empty() ? from : samples_.back().at);
  return std::max<base::Nanos>(to - from, 0);
}

base::Nanos StepMeter::settling() const { return settled_at_ ? *settled_at_ - began_ : 0; }

std::optional<double> StepMeter::per_second(double count) const {
  const double s = base::to_seconds(window());
  return s > 0 ? std::optional(count / s) : std::nullopt;
}

std::optional<double> StepMeter::output_tokens_per_s() const {
  return tokens_known_ ? per_second(tokens_) : std::nullopt;
}
std::optional<double> StepMeter::completed_per_s() const {
  return per_second(static_cast<double>(completed_));
}
std::optional<double> StepMeter::sent_per_s() const {
  return per_second(static_cast<double>(sent_));
}
std::optional<double> StepMeter::mean_out() const {
  return samples_.empty() ? std::nullopt
                          : std::optional(mean_out_between(settled_at_.value_or(began_),
                                                           samples_.back().at + 1));
}

}  // namespace steelyard::study
