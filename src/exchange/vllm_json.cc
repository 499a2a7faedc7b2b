#include "exchange/vllm_json.h"

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "base/json.h"
#include "exchange/certificate_json.h"
#include "measure/request_metrics.h"

namespace steelyard::exchange {
namespace {

using base::Json;
using measure::Distribution;
using measure::Percentile;

constexpr int kSchemaVersion = 1;

template <typename Value>
Json or_null(const std::optional<Value>& value) {
  return value ? Json(*value) : Json(nullptr);
}

Json value_of(const std::optional<Percentile>& percentile) {
  return percentile ? Json(percentile->value) : Json(nullptr);
}

// JSON has no infinity; vLLM writes the word.
Json rate(double rate_rps) { return std::isinf(rate_rps) ? Json("inf") : Json(rate_rps); }

void add_latency(Json& json, const std::string& metric, const Distribution& distribution) {
  json["mean_" + metric + "_ms"] = or_null(distribution.mean);
  json["median_" + metric + "_ms"] = value_of(distribution.p50);
  json["std_" + metric + "_ms"] = or_null(distribution.std);
  json["p50_" + metric + "_ms"] = value_of(distribution.p50);
  json["p90_" + metric + "_ms"] = value_of(distribution.p90);
  json["p99_" + metric + "_ms"] = value_of(distribution.p99);
  for (const auto& [percent, percentile] : distribution.others) {
    json[fmt::format("p{:g}_{}_ms", percent, metric)] = percentile.value;
  }
}

Json interval(const std::optional<Percentile>& percentile) {
  if (!percentile) {
    return nullptr;
  }
  return {{"value", percentile->value},
          {"low", or_null(percentile->low)},
          {"high", or_null(percentile->high)},
          {"n_effective", or_null(percentile->n_effective)},
          {"n_too_small", percentile->n_too_small()}};
}

Json value_json(const std::optional<measure::WithFailures::Value>& percentile) {
  if (!percentile) {
    return nullptr;
  }
  return {{"value", or_null(percentile->value)},
          {"low", or_null(percentile->low)},
          {"high", or_null(percentile->high)},
          {"n_effective", or_null(percentile->n_effective)},
          {"never", !percentile->value.has_value()}};
}

Json with_failures_json(const measure::WithFailures& all) {
  Json json = {{"n", all.n},
               {"failed", all.failed},
               {"p50", value_json(all.p50)},
               {"p90", value_json(all.p90)},
               {"p99", value_json(all.p99)}};
  for (const auto& [percent, value] : all.others) {
    json[fmt::format("p{:g}", percent)] = value_json(value);
  }
  return json;
}

Json full(const Distribution& distribution) {
  return {{"n", distribution.n},
          {"n_effective", or_null(distribution.n_effective)},
          {"relative_error", distribution.relative_error},
          {"mean", or_null(distribution.mean)},
          {"std", or_null(distribution.std)},
          {"min", or_null(distribution.min)},
          {"max", or_null(distribution.max)},
          {"p50", interval(distribution.p50)},
          {"p90", interval(distribution.p90)},
          {"p99", interval(distribution.p99)}};
}

Json definitions() {
  return {{"ttft", "first chunk with content, reasoning or a tool call - send"},
          {"ttfo", "first chunk with content or a tool call - send"},
          {"tpot", "(last token chunk - first token chunk) / (output tokens - 1)"},
          {"itl", "chunk gap / tokens in the chunk, one sample a token"},
          {"icl", "gap between token-bearing chunks"},
          {"e2e", "last byte - send"},
          {"response_*", "the same from the scheduled send"},
          {"percentile", "nearest rank"},
          {"interval", "order statistics of n_effective samples, 95 %, null end: unbounded"},
          {"n_effective", "n / autocorrelation time (initial monotone sequence), order of sending"},
          {"*_with_failures", "a failed request never answers; null: never"},
          {"steady_state", "MSER-5 on TTFT and E2E, less those out at the last send"},
          {"duration", "first send to last byte"}};
}

Json sla_json(const std::optional<SlaResult>& sla) {
  if (!sla) {
    return nullptr;
  }
  return {{"terms", sla->terms},
          {"target", sla->target},
          {"met", sla->met},
          {"attainment_requests", or_null(sla->attainment.requests())},
          {"attainment_tokens", or_null(sla->attainment.tokens())},
          {"reasons", sla->reasons}};
}

// vLLM's arrays: seconds, 0 and empty where a request failed.
void add_detailed(Json& json, std::span<const measure::RequestLog> logs) {
  for (const char* key : {"input_lens", "output_lens", "ttfts", "itls", "latencies", "start_times",
                          "queue_times", "errors"}) {
    json[key] = Json::array();
  }
  for (const measure::RequestLog& log : logs) {
    const measure::RequestMetrics metrics = measure::metrics_of(log);
    json["input_lens"].push_back(or_null(log.input_tokens));
    json["output_lens"].push_back(or_null(log.output_tokens));
    json["ttfts"].push_back(metrics.ttft ? base::to_seconds(*metrics.ttft) : 0.0);
    Json gaps = Json::array();
    if (log.outcome == measure::Outcome::kCompleted) {
      for (const base::Nanos gap : measure::inter_chunk_latencies(log)) {
        gaps.push_back(base::to_seconds(gap));
      }
    }
    json["itls"].push_back(gaps);
    json["latencies"].push_back(metrics.e2e ? base::to_seconds(*metrics.e2e) : 0.0);
    json["start_times"].push_back(base::to_seconds(log.sent_at));
    json["queue_times"].push_back(base::to_seconds(log.sent_at - log.due_at));
    json["errors"].push_back(log.failure);
  }
}

// Connecting stands apart from every latency. Of a request that went out on an open connection it
// is null.
Json connections_json(const VllmRun& run) {
  const auto ms = [](const std::optional<base::Nanos>& time) {
    return time ? Json(base::to_ms(*time)) : Json(nullptr);
  };
  Json json = {{"proxy", run.proxy.empty() ? Json(nullptr) : Json(run.proxy)},
               {"reuse", run.connection_reuse},
               {"http_version", run.http_version},
               {"opened", run.connects.all.count()},
               {"dns_ms", ms(run.connects.dns)}};
  const auto add = [&](const char* name, const measure::Histogram& times) {
    json[fmt::format("{}_ms_p50", name)] = ms(times.percentile(0.50));
    json[fmt::format("{}_ms_p99", name)] = ms(times.percentile(0.99));
  };
  add("tcp", run.connects.tcp);
  add("tls", run.connects.tls);
  add("connect", run.connects.all);
  if (!run.detailed.empty()) {
    Json& each = json["request_connect_ms"] = Json::array();
    Json& tls = json["request_tls_ms"] = Json::array();
    for (const measure::RequestLog& log : run.detailed) {
      each.push_back(ms(log.connect));
      tls.push_back(ms(log.tls_handshake));
    }
  }
  return json;
}

Json row_json(const measure::LengthRow& row) {
  const bool any = row.n > 0;
  return {{"n", row.n},
          {"mean", or_null(row.mean())},
          {"min", any ? Json(row.min) : Json(nullptr)},
          {"max", any ? Json(row.max) : Json(nullptr)},
          {"total", any ? Json(row.total) : Json(nullptr)}};
}

Json lengths_json(const measure::RealisedLengths& lengths) {
  return {{"asked_input", row_json(lengths.asked_input)},
          {"asked_output", row_json(lengths.asked_output)},
          {"input", row_json(lengths.input)},
          {"output", row_json(lengths.output)},
          {"osl_mismatch", lengths.osl_mismatch},
          {"shorter", lengths.shorter},
          {"unknown", lengths.unknown}};
}

Json steady_json(const measure::SteadyState& steady) {
  if (!steady.found) {
    return {{"found", false}, {"reason", steady.reason}};
  }
  return {{"found", true},
          {"reason", nullptr},
          {"from_s", steady.from_s},
          {"to_s", steady.to_s},
          {"requests", steady.requests},
          {"before", steady.before},
          {"after", steady.after},
          {"output_throughput", or_null(steady.output_throughput)},
          {"request_throughput", or_null(steady.request_throughput)},
          {"ttft_ms", full(steady.ttft_ms)},
          {"tpot_ms", full(steady.tpot_ms)},
          {"e2e_ms", full(steady.e2e_ms)}};
}

Json plain(const measure::Samples& samples) {
  const Distribution distribution = measure::distribution_of(samples);
  return {{"n", distribution.n},
          {"mean", or_null(distribution.mean)},
          {"p50", value_of(distribution.p50)},
          {"p90", value_of(distribution.p90)},
          {"p99", value_of(distribution.p99)}};
}

Json by_definition_json(std::span<const measure::ToolFigures> all) {
  Json list = Json::array();
  for (const measure::ToolFigures& figures : all) {
    const measure::ToolWords words = measure::words_of(figures.tool());
    list.push_back({{"tool", figures.tool().name},
                    {"version", figures.tool().version},
                    {"formulas",
                     {{"ttft", fmt::format("first {} - send", words.ttft)},
                      {"e2e", fmt::format("last {} - send", words.e2e)},
                      {"tpot", words.tpot},
                      {"itl", words.itl},
                      {"goodput", words.goodput}}},
                    {"ttft_ms", plain(figures.ttft())},
                    {"tpot_ms", plain(figures.tpot())},
                    {"itl_ms", plain(figures.itl())},
                    {"e2e_ms", plain(figures.e2e())},
                    {"output_throughput", or_null(figures.output_throughput())},
                    {"goodput", or_null(figures.goodput())}});
  }
  return list;
}

Json stop_rule_json(const VllmRun& run) {
  if (!run.p99_within) {
    return nullptr;
  }
  return {{"p99_within", *run.p99_within},
          {"p99_half_width", or_null(run.p99_half_width)},
          {"reached", run.ended == "p99_within"}};
}

Json ours(const VllmRun& run, const measure::Summary& summary) {
  Json failures = Json::object();
  for (const auto& [outcome, count] : summary.failures) {
    failures[std::string(measure::name_of(outcome))] = count;
  }
  return {{"schema_version", kSchemaVersion},
          {"steelyard_version", run.steelyard_version},
          {"base_url", run.base_url},
          {"emulated_by", run.emulated_by.empty() ? Json(nullptr) : Json(run.emulated_by)},
          {"interrupted", run.interrupted},
          {"ended", run.ended},
          {"stop_rule", stop_rule_json(run)},
          {"abandoned", run.abandoned},
          {"not_sent", run.not_sent},
          {"usage_refused", run.usage_refused},
          {"prompts_repeat", run.prompts_repeat},
          {"trace_rows_dropped", run.rows_dropped},
          {"sessions", run.sessions},
          {"sessions_broken", run.sessions_broken},
          {"lengths", lengths_json(run.lengths)},
          {"certificate", certificate_json(run.certificate)},
          {"connections", connections_json(run)},
          {"sla", sla_json(run.sla)},
          {"due", summary.due},
          {"failures", failures},
          {"token_source", measure::name_of(summary.token_source)},
          {"definitions", definitions()},
          {"ttft_ms", full(summary.ttft_ms)},
          {"ttfo_ms", full(summary.ttfo_ms)},
          {"tpot_ms", full(summary.tpot_ms)},
          {"itl_ms", full(summary.itl_ms)},
          {"icl_ms", full(summary.icl_ms)},
          {"e2e_ms", full(summary.e2e_ms)},
          {"ttft_with_failures_ms", with_failures_json(summary.ttft_with_failures_ms)},
          {"e2e_with_failures_ms", with_failures_json(summary.e2e_with_failures_ms)},
          {"steady_state", steady_json(run.steady)},
          {"by_definition", by_definition_json(run.by_definition)},
          {"response_ttft_ms", full(summary.response_ttft_ms)},
          {"response_e2e_ms", full(summary.response_e2e_ms)},
          {"send_lag_ms", full(summary.send_lag_ms)}};
}

std::optional<double> total_throughput(const measure::Summary& summary) {
  if (!summary.input_tokens || !summary.output_tokens || !summary.duration_s) {
    return std::nullopt;
  }
  return static_cast<double>(*summary.input_tokens + *summary.output_tokens) / *summary.duration_s;
}

}  // namespace

std::string vllm_json(const VllmRun& run, const measure::Summary& summary) {
  Json json;
  json["date"] = run.date;
  json["endpoint_type"] = run.endpoint_type;
  json["backend"] = run.endpoint_type;
  json["label"] = run.label.empty() ? Json(nullptr) : Json(run.label);
  json["model_id"] = run.model_id;
  json["tokenizer_id"] = nullptr;  // none is used: counts are the server's
  json["num_prompts"] = run.num_prompts;
  for (const auto& [key, value] : run.metadata) {
    json[key] = value;
  }
  json["request_rate"] = rate(run.request_rate_rps);
  json["burstiness"] = rate(run.burstiness);
  json["max_concurrency"] = or_null(run.max_concurrency);
  json["duration"] = or_null(summary.duration_s);
  json["completed"] = summary.completed;
  json["failed"] = summary.failed;
  json["total_input_tokens"] = or_null(summary.input_tokens);
  json["total_output_tokens"] = or_null(summary.output_tokens);
  json["request_throughput"] = or_null(summary.request_throughput);
  json["request_goodput"] = or_null(run.request_goodput);
  json["output_throughput"] = or_null(summary.output_throughput);
  json["total_token_throughput"] = or_null(total_throughput(summary));
  add_latency(json, "ttft", summary.ttft_ms);
  add_latency(json, "tpot", summary.tpot_ms);
  add_latency(json, "itl", summary.itl_ms);
  add_latency(json, "e2el", summary.e2e_ms);
  if (!run.detailed.empty()) {
    add_detailed(json, run.detailed);
  }
  json["steelyard"] = ours(run, summary);
  return base::dump_json(json, 2) + "\n";
}

}  // namespace steelyard::exchange
