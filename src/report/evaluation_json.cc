#include "report/evaluation_json.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "base/json.h"
#include "base/version.h"
#include "exchange/certificate_json.h"
#include "measure/request_metrics.h"
#include "report/definitions.h"

namespace steelyard::report {
namespace {

using base::Json;
using measure::Distribution;
using measure::Percentile;
using study::Evaluation;
using study::PlatformResult;
using study::SuitePlatform;

constexpr int kSchemaVersion = 1;
constexpr std::size_t kCdfPoints = 200;

template <typename Value>
Json or_null(const std::optional<Value>& value) {
  return value ? Json(*value) : Json(nullptr);
}

Json text_or_null(const std::string& text) { return text.empty() ? Json(nullptr) : Json(text); }

Json reasons_json(const std::vector<study::Reason>& reasons) {
  Json list = Json::array();
  for (const study::Reason& reason : reasons) {
    list.push_back({{"text_en", reason.text_en}, {"text_zh", reason.text_zh}});
  }
  return list;
}

void add_percentile(Json& json, const std::string& name, const std::optional<Percentile>& p) {
  json[name] = p ? Json(p->value) : Json(nullptr);
  json[name + "_low"] = p ? or_null(p->low) : Json(nullptr);
  json[name + "_high"] = p ? or_null(p->high) : Json(nullptr);
  json[name + "_n_effective"] = p ? or_null(p->n_effective) : Json(nullptr);
}

Json distribution_json(const Distribution& d) {
  Json json = {{"n", d.n},
               {"n_effective", or_null(d.n_effective)},
               {"mean", or_null(d.mean)},
               {"std", or_null(d.std)},
               {"min", or_null(d.min)},
               {"max", or_null(d.max)}};
  add_percentile(json, "p50", d.p50);
  add_percentile(json, "p90", d.p90);
  add_percentile(json, "p99", d.p99);
  json["p99_n_too_small"] = d.p99 ? Json(d.p99->n_too_small()) : Json(nullptr);
  return json;
}

// Points [value, share at or below it]; thinned evenly in rank, the ends kept.
Json cdf_json(const measure::Samples& samples) {
  const measure::Samples::Ranked ranked(samples);
  Json points = Json::array();
  const std::size_t n = ranked.size();
  const std::size_t shown = std::min(n, kCdfPoints);
  for (std::size_t i = 0; i < shown; ++i) {
    const std::size_t rank = shown == 1 ? n : 1 + i * (n - 1) / (shown - 1);
    points.push_back({ranked.at(rank) / 1e6, static_cast<double>(rank) / static_cast<double>(n)});
  }
  return points;
}

Json cdfs_json(const measure::RunFigures& figures) {
  return {{"ttft_ms", cdf_json(figures.ttft())},
          {"e2e_ms", cdf_json(figures.e2e())},
          {"tpot_ms", cdf_json(figures.tpot())}};
}

Json offer_json(const SuitePlatform& platform) {
  const auto* by_time = std::get_if<price::PerTime>(&platform.offer.scheme);
  const char* scheme = "per_token";
  if (by_time != nullptr) {
    scheme = by_time->price.unit == quantity::PriceUnit::kHour     ? "per_hour"
             : by_time->price.unit == quantity::PriceUnit::kMinute ? "per_minute"
                                                                   : "per_second";
  }
  return {{"text", platform.offer_text},
          {"scheme", scheme},
          {"count", by_time != nullptr ? Json(by_time->count) : Json(nullptr)},
          {"source", platform.offer.source},
          {"date", platform.offer.date},
          {"note", text_or_null(platform.offer.note)}};
}

Json cost_json(const PlatformResult& result) {
  if (!result.cost) {
    return nullptr;
  }
  Json lines = Json::array();
  for (const price::BillLine& line : result.cost->bill.lines) {
    lines.push_back({{"name_en", line.name_en},
                     {"name_zh", line.name_zh},
                     {"quantity", line.quantity},
                     {"unit", line.unit},
                     {"amount", line.amount.amount()},
                     {"currency", line.amount.currency()}});
  }
  return {{"total",
           {{"amount", result.cost->total.amount()}, {"currency", result.cost->total.currency()}}},
          {"lines", lines}};
}

Json cptls_json(const PlatformResult& result, const std::string& currency) {
  if (!result.cost || !result.cost->cptls) {
    return nullptr;
  }
  return {{"amount", *result.cost->cptls},
          {"currency", currency},
          {"per", "1M good output tokens"},
          {"low", or_null(result.cost->cptls_low)},
          {"high", or_null(result.cost->cptls_high)}};
}

Json index_json(const PlatformResult& result, const std::string& currency) {
  if (!result.cost || !result.cost->published_index) {
    return nullptr;
  }
  return {{"name", "cptls_as_published"},
          {"value", *result.cost->published_index},
          {"unit", currency + "*s/token"},
          {"note_en", "delay-weighted index, not money"},
          {"note_zh", "时延加权指数，并非金额"}};
}

Json failures_json(const PlatformResult& result) {
  Json list = Json::array();
  for (const auto& [outcome, count] : result.summary.failures) {
    const auto example = result.failure_examples.find(outcome);
    list.push_back({{"class", measure::name_of(outcome)},
                    {"count", count},
                    {"example", example == result.failure_examples.end() ? "" : example->second}});
  }
  return list;
}

// Of a client that sent nothing there is none.
Json certificate_json(const PlatformResult& result) {
  if (result.figures.due() == 0) {
    return nullptr;
  }
  return exchange::certificate_json(result.certificate);
}

Json platform_json(const PlatformResult& result, const Evaluation& evaluation) {
  const measure::Summary& s = result.summary;
  const measure::Attainment& reached = result.verdict.attainment;
  const auto interval = measure::share_interval(reached.met, reached.due);
  const std::string& currency = evaluation.suite.currency;
  Json json = {{"rank", or_null(result.rank)},
               {"name", result.name},
               {"origin", "measured"},
               {"emulated", result.emulated},
               {"feasible", result.feasible},
               {"reasons", reasons_json(result.reasons)},
               {"cptls", cptls_json(result, currency)}};
  json["cost_per_million_output_tokens"] =
      result.cost ? or_null(result.cost->per_million_output_tokens) : Json(nullptr);
  json["published_index"] = index_json(result, currency);
  json["offer"] = offer_json(evaluation.suite.platform(result.name));
  json["cost"] = cost_json(result);
  json["n"] = s.due;
  json["completed"] = s.completed;
  json["failed"] = s.failed;
  json["failures"] = failures_json(result);
  json["attainment_requests"] = or_null(reached.requests());
  json["attainment_requests_low"] = interval ? Json(interval->low) : Json(nullptr);
  json["attainment_requests_high"] = interval ? Json(interval->high) : Json(nullptr);
  json["attainment_tokens"] = or_null(reached.tokens());
  json["window_s"] = result.window > 0 ? Json(base::to_seconds(result.window)) : Json(nullptr);
  json["ttft_ms"] = distribution_json(s.ttft_ms);
  json["tpot_ms"] = distribution_json(s.tpot_ms);
  json["itl_ms"] = distribution_json(s.itl_ms);
  json["e2e_ms"] = distribution_json(s.e2e_ms);
  json["output_throughput"] = or_null(s.output_throughput);
  json["output_throughput_low"] = or_null(result.throughput_low);
  json["output_throughput_high"] = or_null(result.throughput_high);
  json["request_throughput"] = or_null(s.request_throughput);
  json["total_input_tokens"] = or_null(s.input_tokens);
  json["total_output_tokens"] = or_null(s.output_tokens);
  json["good_output_tokens"] = s.output_tokens ? Json(reached.good_output_tokens) : Json(nullptr);
  json["token_source"] = measure::name_of(s.token_source);
  json["certificate"] = certificate_json(result);
  json["cdf"] = cdfs_json(result.figures);
  return json;
}

Json lengths_json(const std::vector<workload::Request>& requests,
                  std::int64_t workload::Request::* length) {
  std::int64_t sum = 0;
  std::int64_t least = requests.front().*length;
  std::int64_t most = least;
  for (const workload::Request& request : requests) {
    sum += request.*length;
    least = std::min(least, request.*length);
    most = std::max(most, request.*length);
  }
  return {{"mean", static_cast<double>(sum) / static_cast<double>(requests.size())},
          {"min", least},
          {"max", most}};
}

Json workload_json(const Evaluation& evaluation) {
  const study::SuiteWorkload& asked = evaluation.suite.workload;
  const bool paced = !std::isinf(asked.arrivals.rate_rps);
  const char* arrivals = asked.shape.closed_loop                 ? "closed loop"
                         : !paced                                ? "as recorded"
                         : asked.arrivals.burstiness == 1        ? "Poisson"
                         : std::isinf(asked.arrivals.burstiness) ? "constant"
                                                                 : "gamma";
  return {
      {"dataset", workload::name_of(asked.dataset.dataset)},
      {"source", text_or_null(asked.source)},
      {"licence", text_or_null(asked.licence)},
      {"requests", evaluation.suite.requests.size()},
      {"rounds", asked.rounds},
      {"arrivals", arrivals},
      {"request_rate_rps", paced ? Json(asked.arrivals.rate_rps) : Json(nullptr)},
      {"max_concurrency", or_null(asked.shape.max_concurrency)},
      {"input_tokens", lengths_json(evaluation.suite.requests, &workload::Request::input_tokens)},
      {"output_tokens", lengths_json(evaluation.suite.requests, &workload::Request::output_tokens)},
      {"seed", asked.dataset.seed}};
}

Json sla_json(const study::Sla& sla) {
  Json terms = Json::array();
  for (const quantity::SlaTerm& term : sla.terms) {
    using Statistic = quantity::SlaTerm::Statistic;
    const std::string stat = term.statistic == Statistic::kMean ? "mean"
                             : term.statistic == Statistic::kEach
                                 ? "each"
                                 : fmt::format("p{}", term.percentile);
    terms.push_back({{"text", to_text(term)},
                     {"metric", quantity::name_of(term.metric)},
                     {"stat", stat},
                     {"threshold_ms", base::to_ms(term.threshold)}});
  }
  return {{"terms", terms}, {"target", sla.target}};
}

Json rates_json(const std::optional<quantity::ExchangeRates>& rates) {
  if (!rates) {
    return nullptr;
  }
  Json each = Json::object();
  for (const auto& [currency, rate] : rates->rates) {
    each[currency] = static_cast<double>(rate.units()) / quantity::ExchangeRate::kOne;
  }
  return {{"base", rates->base}, {"date", rates->date}, {"source", rates->source}, {"rates", each}};
}

Json definitions_json() {
  Json list = Json::array();
  for (const Definition& definition : kDefinitions) {
    list.push_back({{"name", definition.name},
                    {"name_zh", name_of(definition, Language::kChinese)},
                    {"text_en", definition.text_en},
                    {"text_zh", definition.text_zh}});
  }
  return list;
}

}  // namespace

std::string evaluation_json(const Evaluation& evaluation) {
  Json platforms = Json::array();
  for (const PlatformResult& result : evaluation.platforms) {
    platforms.push_back(platform_json(result, evaluation));
  }
  const Json json = {{"schema_version", kSchemaVersion},
                     {"kind", "evaluation"},
                     {"steelyard_version", base::version()},
                     {"run_id", evaluation.run_id},
                     {"suite", evaluation.suite.name},
                     {"started_at", base::iso8601_utc(evaluation.started_at)},
                     {"ended_at", base::iso8601_utc(evaluation.ended_at)},
                     {"interrupted", evaluation.interrupted},
                     {"vantage", text_or_null(evaluation.suite.vantage)},
                     {"workload", workload_json(evaluation)},
                     {"sla", sla_json(evaluation.suite.sla)},
                     {"currency", evaluation.suite.currency},
                     {"fx", rates_json(evaluation.suite.rates)},
                     {"platforms", platforms},
                     {"notes", reasons_json(evaluation.notes)},
                     {"definitions", definitions_json()}};
  return base::dump_json(json, 2) + "\n";
}

}  // namespace steelyard::report
