#include "study/sla_gate.h"

#include <fmt/format.h>

#include "base/check.h"

namespace steelyard::study {
namespace {

using quantity::Metric;
using quantity::SlaTerm;
using Statistic = SlaTerm::Statistic;

template <typename Value>
void tighten(std::optional<Value>& limit, Value value) {
  limit = limit ? std::min(*limit, value) : value;
}

void add_limit(const SlaTerm& term, measure::Limits& limits) {
  switch (term.metric) {
    case Metric::kTtft:
      return tighten(limits.ttft, term.threshold);
    case Metric::kTtfo:
      return tighten(limits.ttfo, term.threshold);
    case Metric::kTpot:
      return tighten(limits.tpot_ns, static_cast<double>(term.threshold));
    case Metric::kItl:
      return tighten(limits.itl_mean_ns, static_cast<double>(term.threshold));
    case Metric::kE2e:
      return tighten(limits.e2e, term.threshold);
  }
}

measure::Limits limits_of_term(const SlaTerm& term) {
  measure::Limits limits;
  add_limit(term, limits);
  return limits;
}

const measure::Distribution& distribution_of(Metric metric, const measure::Summary& summary) {
  switch (metric) {
    case Metric::kTtft:
      return summary.ttft_ms;
    case Metric::kTtfo:
      return summary.ttfo_ms;
    case Metric::kTpot:
      return summary.tpot_ms;
    case Metric::kItl:
      return summary.itl_ms;
    case Metric::kE2e:
      break;
  }
  return summary.e2e_ms;
}

// 0.99 as "99 %", 0.999 as "99.9 %".
std::string percent(double share, int digits) {
  return fmt::format("{:.{}g} %", 100 * share, digits);
}

// 99.9 % is 0.9990000000000001 in binary; without the slack 999 of 1,000 would miss it.
bool reaches(const measure::Attainment& reached, double target) {
  return static_cast<double>(reached.met) >=
         target * static_cast<double>(reached.due) * (1 - 1e-12);
}

void miss(SlaVerdict& verdict, std::string en, std::string zh) {
  verdict.met = false;
  verdict.reasons.push_back({std::move(en), std::move(zh)});
}

void judge_share(SlaVerdict& verdict, const std::string& what, const measure::Attainment& reached,
                 double target) {
  if (reaches(reached, target)) {
    return;
  }
  const double share = reached.requests().value_or(0);
  int digits = 4;  // enough for the two to be told apart
  while (digits < 12 && percent(share, digits) == percent(target, digits)) {
    ++digits;
  }
  const std::string seen = percent(share, digits);
  const std::string asked = percent(target, digits);
  miss(verdict,
       fmt::format("{}: {} of {} due requests met it ({}), {} are asked for", what, reached.met,
                   reached.due, seen, asked),
       fmt::format("{}：{} 个应发请求中 {} 个达标（{}），要求 {}", what, reached.due, reached.met,
                   seen, asked));
}

void judge_mean(SlaVerdict& verdict, const SlaTerm& term, const measure::Summary& summary) {
  const auto mean = distribution_of(term.metric, summary).mean;
  const double limit = base::to_ms(term.threshold);
  if (!mean || *mean >= limit) {
    const std::string seen = mean ? fmt::format("{:.4g} ms", *mean) : "-";
    miss(verdict, fmt::format("{}: the mean is {}", to_text(term), seen),
         fmt::format("{}：均值为 {}", to_text(term), seen));
  }
}

}  // namespace

measure::Limits limits_of(const Sla& sla) {
  measure::Limits limits;
  for (const SlaTerm& term : sla.terms) {
    if (term.statistic != Statistic::kMean) {
      add_limit(term, limits);
    }
  }
  return limits;
}

SlaTally::SlaTally(Sla sla) : sla_(std::move(sla)), limits_(limits_of(sla_)) {
  Share each{"", {}, sla_.target, {}};
  for (const SlaTerm& term : sla_.terms) {
    if (term.statistic == Statistic::kPercentile) {
      shares_.push_back({to_text(term), limits_of_term(term), *term.target(), {}});
    } else if (term.statistic != Statistic::kMean) {
      add_limit(term, each.limits);
      each.text += (each.text.empty() ? "" : ", ") + to_text(term);
    }
  }
  if (!each.text.empty()) {
    shares_.push_back(std::move(each));
  }
}

void SlaTally::add(const measure::RequestLog& log, const measure::RequestMetrics& metrics) {
  good_.add(log, measure::meets(log, metrics, limits_));
  for (Share& share : shares_) {
    share.reached.add(log, measure::meets(log, metrics, share.limits));
  }
}

void SlaTally::merge(const SlaTally& other) {
  STEELYARD_CHECK(shares_.size() == other.shares_.size(), "both are of one SLA");
  good_.merge(other.good_);
  for (std::size_t i = 0; i < shares_.size(); ++i) {
    shares_[i].reached.merge(other.shares_[i].reached);
  }
}

SlaVerdict SlaTally::verdict(const measure::Summary& summary) const {
  SlaVerdict verdict;
  verdict.met = true;
  verdict.attainment = good_;
  if (summary.completed == 0) {
    miss(verdict, "no request completed", "没有任何请求成功");
    return verdict;
  }
  for (const SlaTerm& term : sla_.terms) {
    if (term.statistic == Statistic::kMean) {
      judge_mean(verdict, term, summary);
    }
  }
  for (const Share& share : shares_) {
    judge_share(verdict, share.text, share.reached, share.target);
  }
  if (verdict.met) {
    verdict.reasons.push_back({"meets every SLA term", "满足全部 SLA 条款"});
  }
  return verdict;
}

}  // namespace steelyard::study
