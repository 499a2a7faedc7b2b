#include <cmath>
#include <nlohmann/json.hpp>

#include "report/loads.h"

namespace steelyard::report {
namespace {

using base::Json;
using study::Load;
using study::LoadStudyResult;
using study::StepResult;
using End = LoadStudyResult::End;

constexpr int kSchemaVersion = 1;

template <typename Value>
Json or_null(const std::optional<Value>& value) {
  return value ? Json(*value) : Json(nullptr);
}

Json number(double value) { return std::isinf(value) ? Json("inf") : Json(value); }

Json money(const std::optional<quantity::Money>& money) {
  return money ? Json{{"amount", money->amount()}, {"currency", money->currency()}} : Json(nullptr);
}

Json load_json(const Load& load) {
  return {{"concurrency",
           load.open_loop() ? Json(nullptr) : Json(static_cast<std::int64_t>(load.value))},
          {"request_rate", load.open_loop() ? number(load.value) : Json(nullptr)},
          {"input_len", or_null(load.input_len)}};
}

Json latency(const measure::Distribution& distribution) {
  const auto one = [](const std::optional<measure::Percentile>& p) {
    return p ? Json{{"value", p->value},
                    {"low", or_null(p->low)},
                    {"high", or_null(p->high)},
                    {"n_too_small", p->n_too_small()}}
             : Json(nullptr);
  };
  return {{"n", distribution.n},
          {"mean", or_null(distribution.mean)},
          {"p50", one(distribution.p50)},
          {"p99", one(distribution.p99)}};
}

Json attainment(const StepResult& step, bool judged) {
  if (!judged) {
    return nullptr;
  }
  const measure::Attainment& good = step.figures.sla.good();
  return {{"due", good.due},
          {"met", good.met},
          {"share", or_null(good.requests())},
          {"low", step.interval ? Json(step.interval->low) : Json(nullptr)},
          {"high", step.interval ? Json(step.interval->high) : Json(nullptr)}};
}

Json interval(const std::optional<double>& low, const std::optional<double>& high) {
  return low || high ? Json{{"low", or_null(low)}, {"high", or_null(high)}} : Json(nullptr);
}

Json interval(const std::optional<measure::Estimate>& estimate) {
  return estimate ? interval(estimate->low(), estimate->high()) : Json(nullptr);
}

Json pace_interval(const std::optional<measure::Percentile>& tpot_ms) {
  return tpot_ms ? interval(study::tokens_per_s(tpot_ms->high), study::tokens_per_s(tpot_ms->low))
                 : Json(nullptr);
}

Json power(const std::optional<measure::Estimate>& power) {
  return power ? Json{{"value", power->value},
                      {"low", or_null(power->low())},
                      {"high", or_null(power->high())}}
               : Json(nullptr);
}

std::string_view verdict_word(study::StepVerdict verdict) {
  return verdict == study::StepVerdict::kNotAsked ? "not_asked" : name_of(verdict);
}

Json step_json(const StepResult& step, bool judged, const Json& result) {
  const measure::Summary& s = step.summary;
  return {{"load", load_json(step.load)},
          {"verdict", verdict_word(step.finding.verdict)},
          {"leans_met", judged ? Json(step.finding.leans_met) : Json(nullptr)},
          {"over_capacity", step.finding.over_capacity},
          {"reason_en", step.finding.reason.text_en},
          {"reason_zh", step.finding.reason.text_zh},
          {"settled", step.settled},
          {"settling_s", base::to_seconds(step.settling)},
          {"window_s", base::to_seconds(step.window)},
          {"sent_per_s", or_null(step.sent_per_s)},
          {"completed_per_s", or_null(step.completed_per_s)},
          {"mean_out", or_null(step.mean_out)},
          {"output_tokens_per_s", or_null(step.output_tokens_per_s())},
          {"output_tokens_per_s_interval", interval(step.flow.output_tokens_per_s)},
          {"output_tokens_per_s_per_user", or_null(step.tokens_per_s_per_user())},
          {"output_tokens_per_s_per_user_interval", pace_interval(s.tpot_ms.p50)},
          {"power", power(step.flow.power)},
          {"ttft_ms", latency(s.ttft_ms)},
          {"tpot_ms", latency(s.tpot_ms)},
          {"e2e_ms", latency(s.e2e_ms)},
          {"attainment", attainment(step, judged)},
          {"result", result}};
}

std::string_view word(End end) {
  switch (end) {
    case End::kDone:
      return "done";
    case End::kTimeOver:
      return "time_over";
    case End::kMoneyOver:
      return "money_over";
    case End::kInterrupted:
      return "interrupted";
    case End::kFailed:
      break;
  }
  return "failed";
}

Json sla_json(const study::Sla& sla) {
  if (sla.terms.empty()) {
    return nullptr;
  }
  Json terms = Json::array();
  for (const quantity::SlaTerm& term : sla.terms) {
    terms.push_back(to_text(term));
  }
  return {{"terms", terms}, {"target", sla.target}};
}

Json found_json(const Loads& loads) {
  const LoadStudyResult& result = loads.result;
  if (!loads.sought) {
    return nullptr;
  }
  return {{"kind", *loads.sought == Load::Kind::kRate ? "rate" : "concurrency"},
          {"resolution", loads.resolution},
          {"largest", result.best ? Json(result.steps[*result.best].load.value) : Json(nullptr)},
          {"confirmed", result.confirmed},
          {"step", result.best ? Json(*result.best) : Json(nullptr)},
          {"smallest_above", or_null(result.least_missed)}};
}

Json knee_json(const study::LoadCurve& curve, std::span<const StepResult> steps) {
  const study::Reason words = knee_text(curve, steps);
  const auto load = [&](const std::optional<std::size_t>& step) {
    return step ? number(steps[*step].load.value) : Json(nullptr);
  };
  const bool found = curve.knee_step().has_value();
  return {{"answer", name_of(curve.knee.answer)},
          {"step", or_null(curve.knee_step())},
          {"load", load(curve.knee_step())},
          {"above", found ? load(curve.knee.above) : Json(nullptr)},
          {"below", found ? load(curve.knee.below) : Json(nullptr)},
          {"reason_en", words.text_en},
          {"reason_zh", words.text_zh}};
}

Json curves_json(const LoadStudyResult& result) {
  Json curves = Json::array();
  for (const study::LoadCurve& curve : result.curves) {
    curves.push_back({{"input_len", or_null(curve.input_len)},
                      {"steps", curve.steps},
                      {"frontier", curve.frontier},
                      {"knee", knee_json(curve, result.steps)}});
  }
  return curves;
}

}  // namespace

std::string loads_json(const Loads& loads, std::span<const Json> results) {
  const LoadStudyResult& result = loads.result;
  Json json;
  json["schema_version"] = kSchemaVersion;
  json["steelyard_version"] = loads.steelyard_version;
  json["date"] = loads.date;
  json["base_url"] = loads.base_url;
  json["model"] = loads.model;
  json["label"] = loads.label.empty() ? Json(nullptr) : Json(loads.label);
  const bool emulated = !result.steps.empty() && !result.steps.front().report.emulated_by.empty();
  json["emulated_by"] = emulated ? Json(result.steps.front().report.emulated_by) : Json(nullptr);
  json["sla"] = sla_json(loads.sla);
  json["found"] = found_json(loads);
  json["curves"] = curves_json(result);
  json["end"] = word(result.end);
  json["failure"] = result.failure ? Json(base::to_line(*result.failure)) : Json(nullptr);
  json["took_s"] = base::to_seconds(result.took);
  json["spent"] = money(result.spent);
  json["max_spend"] = money(loads.budget.most);
  json["steps"] = Json::array();
  for (std::size_t i = 0; i < result.steps.size(); ++i) {
    json["steps"].push_back(step_json(result.steps[i], !loads.sla.terms.empty(), results[i]));
  }
  return base::dump_json(json, 2) + "\n";
}

}  // namespace steelyard::report
