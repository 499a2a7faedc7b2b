#include "command/bench_loads.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>

#include "base/file.h"
#include "base/version.h"
#include "command/bench_result.h"
#include "command/command.h"
#include "command/watched.h"
#include "report/loads.h"
#include "study/self_test.h"

namespace steelyard::command {
namespace {

// Everything that is read from the flags of a sweep or a search.
struct BenchLoads {
  LoadsAsked asked;
  study::LoadStudyOptions options;
  report::Language language = report::Language::kEnglish;  // of --curve
};

base::Result<BenchLoads> prepare_loads(const BenchOptions& options, const Bench& bench) {
  if (options.store != "none" || options.save_detailed) {
    return base::bad_input(options.save_detailed ? "--save-detailed" : "--store",
                           "of many loads the figures are kept, and not each request",
                           "leave it out");
  }
  BenchLoads loads{{}, {bench.target, bench.options, bench.dataset, 1, {}, {}, {}, {}, {}}, {}};
  base::Status ok;
  if (take(loads_of(options.search, options.endpoint), loads.asked, ok) &&
      take(rules_of(options.search), loads.options.rules, ok)) {
    take(budget_of(options.search), loads.options.budget, ok);
  }
  take(report::parse_language("--lang", options.search.language), loads.language, ok);
  if (ok && !options.search.curve.empty()) {
    ok = base::check_writable_file(options.search.curve);
  }
  if (ok) {
    ok = study::check("--dataset-name", bench.dataset);
  }
  if (!ok) {
    return tl::unexpected(ok.error());
  }
  loads.options.burstiness = bench.arrivals.burstiness;
  loads.options.max_concurrency = bench.shape.max_concurrency;
  loads.options.sla = bench.sla.value_or(study::Sla{});
  loads.options.run_id = bench.run_id;
  return loads;
}

// As many streams as the largest of the loads keeps open. What an open-ended search will reach is
// not known before.
std::int64_t self_test_streams(const Bench& bench, const BenchLoads& loads, bool bounded) {
  constexpr double kUnknown = 64;
  std::vector<study::Load> each = loads.asked.sweep;
  if (each.empty()) {
    each.push_back({loads.asked.kind, bounded ? loads.asked.range.most : kUnknown, {}});
  }
  std::int64_t most = 0;
  for (const study::Load& load : each) {
    study::LoadShape shape = bench.shape;
    if (!load.open_loop()) {
      shape.max_concurrency = static_cast<std::int64_t>(load.value);
    }
    const double rate_rps = load.open_loop() ? load.value : std::numeric_limits<double>::infinity();
    most = std::max(most, study::self_test_streams(shape, rate_rps, {}));
  }
  return most;
}

base::Result<study::LoadStudyResult> run_loads(const BenchLoads& loads, const SignalWatch& signals,
                                               bool quiet) {
  ProgressLine line(quiet);
  study::LoadStudy study(loads.options);
  const auto work = [&] {
    return loads.asked.sweep.empty() ? study.search(loads.asked.kind, loads.asked.range)
                                     : study.sweep(loads.asked.sweep);
  };
  return watched<study::LoadStudyResult>(
      signals, line, work, [&] { study.stop(); },
      [&](base::Nanos now) { return describe(study.where(), now); });
}

// One step as if it had been a run of its own.
base::Json step_result(const BenchOptions& options, Bench bench, const study::StepResult& step) {
  bench.planned.reset();
  bench.arrivals.rate_rps =
      step.load.open_loop() ? step.load.value : std::numeric_limits<double>::infinity();
  if (!step.load.open_loop()) {
    bench.shape.max_concurrency = static_cast<std::int64_t>(step.load.value);
  }
  const study::EndpointResult measured{
      step.figures, {}, step.report, step.facts, step.usage_refused};
  exchange::VllmRun run = describe_run(options, bench, measured);
  run.num_prompts = step.report.sent;
  const measure::Summary summary = step.figures.run.summary(bench.percents);
  (void)judge(bench, step.figures, summary, run);
  return nlohmann::ordered_json::parse(exchange::vllm_json(run, summary));
}

// 1: nothing meets the SLA, or nothing was ever answered.
int code_of(const BenchLoads& loads, const study::LoadStudyResult& result) {
  const auto meets = [](const study::StepResult& step) { return step.finding.leans_met; };
  const auto answered = [](const study::StepResult& step) { return step.summary.completed > 0; };
  const bool good = !loads.asked.sweep.empty() || result.best.has_value();
  const bool judged = !loads.options.sla.terms.empty();
  return good && std::ranges::any_of(result.steps, answered) &&
                 (!judged || std::ranges::any_of(result.steps, meets))
             ? 0
             : 1;
}

base::Result<int> conclude_loads(const BenchOptions& options, const Bench& bench,
                                 const BenchLoads& loads, const study::LoadStudyResult& result) {
  if (result.steps.empty()) {
    return result.end == study::LoadStudyResult::End::kInterrupted
               ? base::environment_error("", "interrupted before a step ended")
               : base::environment_error("", "time or money was over before a step had begun",
                                         "more of --search-time or --max-spend");
  }
  const bool sought = loads.asked.sweep.empty();
  const report::Loads shown{std::string(base::version()),
                            vllm_date(),
                            bench.target.url.to_text(),
                            bench.options.model,
                            options.label,
                            loads.options.sla,
                            sought ? std::optional(loads.asked.kind) : std::nullopt,
                            loads.asked.range.resolution,
                            loads.options.budget,
                            result};
  std::vector<base::Json> results;
  results.reserve(result.steps.size());
  for (const study::StepResult& step : result.steps) {
    results.push_back(step_result(options, bench, step));
  }
  const std::string json = report::loads_json(shown, results);
  base::Status kept = save(options, result_path(options, {"loads", shown.model, shown.date}), json);
  if (!options.search.curve.empty()) {
    base::Status drawn =
        base::write_file(options.search.curve, report::loads_svg(shown, loads.language));
    kept = kept ? std::move(drawn) : kept;
  }
  print_out(options.json ? json : report::loads_text(shown));
  return kept.map([&] { return code_of(loads, result); });
}

}  // namespace

base::Result<int> bench_loads(const BenchOptions& options, Bench& bench, const StartOptions& before,
                              const SignalWatch& signals) {
  auto loads = prepare_loads(options, bench);
  if (!loads) {
    return tl::unexpected(loads.error());
  }
  StartOptions start = before;
  if (start.self_test_streams) {
    start.self_test_streams = self_test_streams(bench, *loads, options.search.to.has_value());
  }
  return start_shown(bench, start, signals, options.quiet)
      .and_then([&] {
        loads->options.options = bench.options;
        loads->options.self_test = bench.self_test;
        return run_loads(*loads, signals, options.quiet);
      })
      .and_then([&](const study::LoadStudyResult& result) {
        return conclude_loads(options, bench, *loads, result);
      });
}

}  // namespace steelyard::command
