#include "study/sla_tests.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace steelyard::study {
namespace {

using measure::RequestLog;
using measure::ShareTest;
using quantity::SlaTerm;

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

std::optional<double> SlaTests::Mean::margin() const {
  constexpr double kZ = 2.576;
  if (seen.n < 20) {
    return std::nullopt;
  }
  return kZ * *seen.deviation() / std::sqrt(seen.n);
}

// That one of several misses may be found in error for each of them, so they divide the chance of
// it.
SlaTests::SlaTests(const Sla& sla, double confidence) {
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
  const double alpha = (1 - confidence) / std::max(tests, 1.0);
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

void SlaTests::add(const RequestLog& log, const measure::RequestMetrics& metrics) {
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
}

std::optional<Reason> SlaTests::missed() const {
  for (const Share& share : shares_) {
    if (share.test.answer() == ShareTest::Answer::kMissed) {
      return shares();
    }
  }
  for (const Mean& mean : means_) {
    const auto margin = mean.margin();
    if (margin && mean.seen.mean - *margin >= static_cast<double>(mean.term.threshold)) {
      const std::string seen = fmt::format("{:.4g} ms", mean.seen.mean / 1e6);
      return Reason{fmt::format("{}: the mean is {}", to_text(mean.term), seen),
                    fmt::format("{}：均值为 {}", to_text(mean.term), seen)};
    }
  }
  return std::nullopt;
}

bool SlaTests::all_reached() const {
  const bool shares = std::ranges::all_of(shares_, [](const Share& share) {
    return share.test.answer() == ShareTest::Answer::kReached;
  });
  return shares && std::ranges::all_of(means_, [](const Mean& mean) {
           const auto margin = mean.margin();
           return margin && mean.seen.mean + *margin < static_cast<double>(mean.term.threshold);
         });
}

bool SlaTests::leans_met() const {
  const bool shares = std::ranges::all_of(shares_, [](const Share& share) {
    return share.test.due() > 0 && share.test.leans_reached();
  });
  return shares && std::ranges::all_of(means_, [](const Mean& mean) {
           return mean.seen.n > 0 && mean.seen.mean < static_cast<double>(mean.term.threshold);
         });
}

bool SlaTests::worse_since(base::Nanos since) const {
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

// The share that decides: the one furthest below its target.
Reason SlaTests::shares() const {
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

}  // namespace steelyard::study
