#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>

#include "base/text.h"
#include "command/bench_loads.h"
#include "command/bench_record.h"
#include "command/bench_result.h"
#include "command/bench_start.h"
#include "command/command.h"
#include "command/watched.h"
#include "report/run_text.h"

namespace steelyard::command {
namespace {

base::Result<study::EndpointResult> run_shown(study::EndpointRun& run, const Bench& bench,
                                              std::int64_t skip, const SignalWatch& signals,
                                              bool quiet) {
  ProgressLine line(quiet);
  const auto rest = [&]() -> std::unique_ptr<workload::Source> {
    return std::make_unique<workload::RestSource>(source_of(bench), skip);
  };
  const study::MakeSource whole = [&] { return source_of(bench); };
  return watched<study::EndpointResult>(
      signals, line,
      [&] { return run.run(skip > 0 ? study::MakeSource(rest) : whole, bench.run_id); },
      [&] { run.stop(); }, [&](base::Nanos now) { return describe(run.progress(), now); });
}

base::Result<int> conclude(const BenchOptions& options, const Bench& bench,
                           const study::EndpointResult& result,
                           std::optional<BenchRecord>& record) {
  const measure::Summary summary = result.figures.run.summary(bench.percents);
  if (result.report.stopped && summary.due == 0) {
    return nothing_measured();
  }
  exchange::VllmRun run = describe_run(options, bench, result);
  const auto verdict = judge(bench, result.figures, summary, run);
  const std::string json = exchange::vllm_json(run, summary);
  auto saved =
      save(options, result_path(options, {run.endpoint_type, run.model_id, run.date}), json);
  if (record) {
    auto kept = record->finish(result.report.stopped, json);
    saved = saved ? std::move(kept) : saved;
  }
  if (!saved) {
    return tl::unexpected(saved.error());
  }
  if (options.json) {
    print_out(json);
  } else if (summary.completed > 0) {
    print_out(report::run_text(
        {bench.target.url.to_text() + bench.target.path + wire::way_text(bench.target.proxy) +
             (run.http_version == "2" ? ", HTTP/2" : ""),
         bench.options.model, run.emulated_by, summary, run.certificate,
         first_failure(result.figures), verdict ? &*verdict : nullptr, result.figures.lengths,
         result.facts, run.steady, ended_words(run), bench.by_definition}));
  }
  if (summary.completed == 0 && summary.due > 0) {
    print_error(fmt::format("error: {}: all {} requests failed, for example: {}\n",
                            bench.target.url.to_text(), summary.due,
                            first_failure(result.figures)));
    return 1;
  }
  if (result.report.stopped) {
    print_error(
        fmt::format("interrupted: {} requests measured, {} dropped on the way, {} not sent{}\n",
                    summary.due, result.report.abandoned, result.report.not_sent,
                    record ? "; go on with --resume " + record->run_id() : ""));
  }
  return verdict && !verdict->met ? 1 : 0;
}

using MaybeRecord = std::optional<BenchRecord>;

base::Result<MaybeRecord> open_record(const BenchOptions& options, const Bench& bench) {
  const bool kept = options.store != "none";
  const std::string endpoint = bench.target.url.to_text() + bench.target.path;
  const auto some = [](BenchRecord&& record) { return MaybeRecord(std::move(record)); };
  if (options.resume.empty()) {
    return kept ? BenchRecord::begin(options.store, options.settings, endpoint).map(some)
                : MaybeRecord();
  }
  if (!kept) {
    return base::bad_input("--resume", "no store is named that has the run", "--store FILE");
  }
  if (source_of(bench)->wants_answers()) {
    return base::bad_input("--resume", "sessions cannot be taken up: their answers are not kept");
  }
  return BenchRecord::resume(options.store, options.resume, options.settings, endpoint).map(some);
}

base::Result<study::EndpointResult> measure(const BenchOptions& options, Bench& bench,
                                            MaybeRecord& record, const SignalWatch& signals) {
  study::EndpointRun run(bench.target, bench.options, bench.shape,
                         bench.sla.value_or(study::Sla{}));
  if (options.save_detailed) {
    run.keep_logs();
  }
  if (bench.p99_within) {
    run.stop_when_p99_within(*bench.p99_within);
  }
  const std::int64_t taken = record ? record->taken() : 0;
  const auto by_definition = [&](const measure::RequestLog& log) {
    for (measure::ToolFigures& figures : bench.by_definition) {
      figures.add(log);
    }
  };
  if (record || !bench.by_definition.empty()) {
    run.set_record([&](const measure::RequestLog& log) {
      by_definition(log);
      return !record || record->take(log);
    });
  }
  if (record) {
    run.set_first_index(static_cast<std::size_t>(taken));
  }
  auto result = run_shown(run, bench, taken, signals, options.quiet);
  if (result && record) {
    auto earlier = record->earlier(result->report.began);
    for (const measure::RequestLog& log : earlier) {
      result->figures.add(log);
      by_definition(log);
    }
    if (options.save_detailed) {
      result->logs.insert(result->logs.begin(), std::make_move_iterator(earlier.begin()),
                          std::make_move_iterator(earlier.end()));
    }
    result->report.abandoned += record->lost();
  }
  return result;
}

std::optional<std::int64_t> self_test_streams(const BenchOptions& options, const Bench& bench) {
  return options.self_test ? std::optional(study::self_test_streams(
                                 bench.shape, bench.arrivals.rate_rps, bench.planned))
                           : std::nullopt;
}

base::Result<int> bench_endpoint(const BenchOptions& options) {
  auto bench = prepare(options);
  if (!bench) {
    return tl::unexpected(bench.error());
  }
  const SignalWatch signals;
  if (const auto writable = check_result(options); !writable) {
    return tl::unexpected(writable.error());
  }
  const EndpointFlags& flags = options.endpoint;
  StartOptions before{options.ready_check_timeout_s,
                      flags.num_warmups,
                      bench->shape.max_concurrency,
                      flags.seed,
                      bench->run_id,
                      self_test_streams(options, *bench)};
  if (options.search.asked()) {
    return bench_loads(options, *bench, before, signals);
  }
  if (const auto alone = check_alone(options.search); !alone) {
    return tl::unexpected(alone.error());
  }
  auto record = open_record(options, *bench);
  if (!record) {
    return tl::unexpected(record.error());
  }
  if (*record) {
    before.run_id = bench->run_id = (*record)->run_id();
  }
  auto result = start_shown(*bench, before, signals, options.quiet).and_then([&] {
    return measure(options, *bench, *record, signals);
  });
  auto code = result.and_then([&](const study::EndpointResult& measured) {
    return conclude(options, *bench, measured, *record);
  });
  if (!code && *record) {
    (void)(*record)->finish(true, std::nullopt);
  }
  return code;
}

// What is asked for by the flags, without those that are secret or only say where to put it.
base::Json settings_of(const CLI::App& command) {
  constexpr std::array<std::string_view, 19> kOthers = {
      "api-key",         "api-key-file",  "auth",          "header",
      "save-result",     "save-detailed", "append-result", "result-dir",
      "result-filename", "label",         "metadata",      "json",
      "quiet",           "store",         "resume",        "help",
      "self-test",       "curve",         "lang"};
  base::Json settings = base::Json::object();
  for (const CLI::Option* option : command.get_options()) {
    const std::string name = option->get_lnames().empty() ? "" : option->get_lnames().front();
    if (option->count() > 0 && std::ranges::find(kOthers, name) == kOthers.end()) {
      settings["--" + name] = base::join(option->results(), " ");
    }
  }
  return settings;
}

}  // namespace

void add_bench(CLI::App& app, Run& run) {
  const auto options = std::make_shared<BenchOptions>();
  CLI::App* command = app.add_subcommand(
      "bench", "Measure one OpenAI-compatible endpoint (flags as in vLLM's bench)");
  add_flags(*command, options->endpoint);
  add_flags(*command, options->search);
  command->add_option("--ready-check-timeout-sec,--wait-for-model-timeout",
                      options->ready_check_timeout_s,
                      "seconds to wait for the server to answer (default: 0)");
  command->add_flag("--save-result", options->save_result, "write vLLM's result JSON");
  command->add_flag("--save-detailed", options->save_detailed, "with one entry a request");
  command->add_flag("--append-result", options->append_result,
                    "add it as a line instead, which saves too");
  command->add_option("--result-dir", options->result_dir,
                      "folder of the result file (default: this one)");
  command->add_option("--result-filename,--output-file", options->result_filename,
                      "default: <endpoint>-<model>-<date>.json");
  command->add_option("--label", options->label, "a name for the run, written into the result");
  command->add_option("--metadata", options->metadata, "KEY=VALUE, written into the result");
  command
      ->add_option("--metric-percentiles", options->metric_percentiles,
                   "percentiles in the result file, beside P50, P90 and P99")
      ->capture_default_str();
  command->add_option("--percentile-metrics", options->percentile_metrics,
                      "accepted and not needed: the file has every metric");
  command->add_flag("--json", options->json, "the result on stdout instead of a table");
  command->add_flag("--self-test", options->self_test,
                    "first measure this client against the truth server, about 4 s");
  command->add_flag("--quiet,--disable-tqdm", options->quiet, "no progress line");
  command->add_option("--stop-when-p99-within", options->stop_when_p99_within,
                      "send no more once the intervals of the P99 of TTFT and E2E are that "
                      "narrow, such as 5% to either side");
  command->add_option("--definitions", options->definitions,
                      "the run by other tools' formulas too: vllm,aiperf,... or all");
  command->add_option("--tokenizer", options->tokenizer, "accepted and not needed");
  command->add_flag("--trust-remote-code", options->trust_remote_code, "accepted and not needed");
  command
      ->add_option("--store", options->store,
                   "SQLite file that keeps every request as it ends, or none")
      ->capture_default_str();
  command->add_option("--resume", options->resume,
                      "go on with this run of the store, begun with the same flags");
  command->callback([&run, options, command] {
    options->settings = settings_of(*command);
    run = [options] { return bench_endpoint(*options); };
  });
}

}  // namespace steelyard::command
