#include "command/bench_result.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/file.h"
#include "base/version.h"
#include "command/command.h"

namespace steelyard::command {
namespace {

exchange::SlaResult sla_result(const study::Sla& sla, const study::SlaVerdict& verdict) {
  exchange::SlaResult result;
  result.target = sla.target;
  result.met = verdict.met;
  result.attainment = verdict.attainment;
  for (const quantity::SlaTerm& term : sla.terms) {
    result.terms.push_back(to_text(term));
  }
  for (const study::Reason& reason : verdict.reasons) {
    result.reasons.push_back(reason.text_en);
  }
  return result;
}

std::string why_ended(const Bench& bench, const study::EndpointResult& result) {
  if (result.report.stopped) {
    return "interrupted";
  }
  if (result.narrow_enough) {
    return "p99_within";
  }
  const bool out_of_time =
      bench.shape.send_for && result.report.ended - result.report.began >= *bench.shape.send_for;
  return out_of_time ? "duration" : "all_sent";
}

std::string in_result_dir(const BenchOptions& options, const std::string& name) {
  return options.result_dir.empty() ? name : options.result_dir + "/" + name;
}

// vLLM writes a file for --append-result alone, too, and none for a place alone.
bool saves(const BenchOptions& options) { return options.save_result || options.append_result; }

}  // namespace

std::string vllm_date() {
  std::string date = base::compact_utc(base::wall_now());  // "20261201T080000Z"
  date.pop_back();
  std::replace(date.begin(), date.end(), 'T', '-');
  return date;
}

exchange::VllmRun describe_run(const BenchOptions& options, const Bench& bench,
                               const study::EndpointResult& result) {
  exchange::VllmRun run;
  run.date = vllm_date();
  run.endpoint_type = bench.options.dialect->name;
  run.label = options.label;
  run.model_id = bench.options.model;
  run.num_prompts = bench.planned.value_or(result.figures.run.due() + result.report.abandoned +
                                           result.report.not_sent);
  run.request_rate_rps = bench.arrivals.rate_rps;
  run.burstiness = bench.arrivals.burstiness;
  run.max_concurrency = bench.shape.max_concurrency;
  run.metadata = bench.metadata;
  run.steelyard_version = base::version();
  run.base_url = bench.target.url.to_text();
  run.emulated_by = result.report.emulated_by;
  run.interrupted = result.report.stopped;
  run.abandoned = result.report.abandoned;
  run.not_sent = result.report.not_sent;
  run.usage_refused = result.usage_refused;
  run.prompts_repeat = bench.facts.repeats;
  run.rows_dropped = result.facts.rows_dropped;
  run.sessions = result.facts.sessions;
  run.sessions_broken = result.facts.sessions_broken;
  run.lengths = result.figures.lengths;
  run.by_definition = bench.by_definition;
  run.steady = measure::steady_state_of(result.figures.run.series());
  run.ended = why_ended(bench, result);
  run.p99_within = bench.p99_within;
  run.p99_half_width = bench.p99_within ? result.figures.run.p99_half_width() : std::nullopt;
  run.certificate = measure::certify(result.report.health, bench.self_test);
  run.proxy = bench.target.proxy ? bench.target.proxy->url.to_text() : "";
  run.connection_reuse = options.endpoint.connection_reuse;
  run.http_version = result.report.http == load::HttpVersion::k2 ? "2" : "1.1";
  run.connects = result.report.health.connects;
  run.detailed = result.logs;
  return run;
}

std::optional<study::SlaVerdict> judge(const Bench& bench, const study::EndpointFigures& figures,
                                       const measure::Summary& summary, exchange::VllmRun& run) {
  if (!bench.sla) {
    return std::nullopt;
  }
  study::SlaVerdict verdict = figures.sla.verdict(summary);
  run.sla = sla_result(*bench.sla, verdict);
  if (summary.duration_s) {
    run.request_goodput = static_cast<double>(verdict.attainment.met) / *summary.duration_s;
  }
  return verdict;
}

std::string first_failure(const study::EndpointFigures& figures) {
  return figures.failure_examples.empty() ? "" : figures.failure_examples.begin()->second;
}

std::string ended_words(const exchange::VllmRun& run) {
  if (run.ended == "duration") {
    return "--duration was over";
  }
  if (!run.p99_within) {
    return "";
  }
  const std::string reached = run.p99_half_width
                                  ? fmt::format("within {:.2g} % of it", 100 * *run.p99_half_width)
                                  : "not bounded yet";
  return fmt::format("the interval of the P99 of TTFT and E2E is {}; {:.2g} % were asked for",
                     reached, 100 * *run.p99_within);
}

std::string result_path(const BenchOptions& options, const ResultName& result) {
  std::string name = options.result_filename;
  if (name.empty()) {
    const std::string model = result.model.substr(result.model.rfind('/') + 1);
    name = fmt::format("{}-{}-{}.json", result.kind, model, result.date);
  }
  return in_result_dir(options, name);
}

base::Status check_result(const BenchOptions& options) {
  const bool placed = !options.result_dir.empty() || !options.result_filename.empty();
  if (!saves(options)) {
    if (placed) {
      print_error(
          fmt::format("warning: {}: no file is written without --save-result\n",
                      options.result_filename.empty() ? "--result-dir" : "--result-filename"));
    }
    return {};
  }
  return options.result_filename.empty()
             ? base::check_writable_folder(options.result_dir)
             : base::check_writable_file(in_result_dir(options, options.result_filename));
}

base::Status save(const BenchOptions& options, const std::string& path, const std::string& json) {
  if (!saves(options)) {
    return {};
  }
  return options.append_result ? base::append_line(path, nlohmann::ordered_json::parse(json).dump())
                               : base::write_file(path, json);
}

}  // namespace steelyard::command
