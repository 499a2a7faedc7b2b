#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <charconv>
#include <memory>
#include <nlohmann/json.hpp>

#include "base/file.h"
#include "base/text.h"
#include "base/version.h"
#include "command/bench_record.h"
#include "command/bench_start.h"
#include "command/command.h"
#include "command/definitions.h"
#include "command/endpoint_flags.h"
#include "command/search_flags.h"
#include "command/watched.h"
#include "exchange/vllm_json.h"
#include "report/loads.h"
#include "report/run_text.h"

namespace steelyard::command {
namespace {

constexpr double kLongestReadyS = 30 * 86'400.0;

struct Options {
  EndpointFlags endpoint;
  SearchFlags search;
  double ready_check_timeout_s = 0;
  bool save_result = false;
  bool save_detailed = false;
  bool append_result = false;
  std::string result_dir;
  std::string result_filename;
  std::string label;
  std::vector<std::string> metadata;
  std::string metric_percentiles = "50,90,99";
  std::string percentile_metrics;  // accepted: the file has every metric
  bool json = false;
  bool quiet = false;
  bool self_test = false;
  // Accepted because people's scripts have them; nothing here needs a tokenizer.
  std::string tokenizer;
  bool trust_remote_code = false;
  std::string stop_when_p99_within;
  std::string definitions;
  std::string store = "none";
  std::string resume;
  base::Json settings;  // the flags that say what is measured
};

// Everything that is read from the flags before anything is sent.
struct Bench {
  load::Target target;
  platform::OpenAiOptions options;
  study::LoadShape shape;
  workload::ArrivalOptions arrivals;
  std::optional<study::Sla> sla;
  workload::DatasetOptions dataset;
  std::optional<std::int64_t> planned;  // requests, where that is known
  workload::SourceFacts facts;          // as far as they are known before
  std::vector<workload::Request> warmups;
  std::map<std::string, std::string> metadata;
  std::vector<double> percents;
  std::optional<double> p99_within;
  std::vector<measure::ToolFigures> by_definition;  // filled as requests end
  std::string run_id;
  std::optional<measure::SelfTest> self_test;
};

base::Result<std::map<std::string, std::string>> metadata_of(
    const std::vector<std::string>& given) {
  std::map<std::string, std::string> metadata;
  for (const std::string& pair : given) {
    const std::size_t at = pair.find('=');
    if (at == std::string::npos || at == 0) {
      return base::bad_input("--metadata", "'" + pair + "' is no KEY=VALUE", "--metadata gpu=H100");
    }
    metadata[pair.substr(0, at)] = pair.substr(at + 1);
  }
  return metadata;
}

// vLLM's form, "50,95,99.9".
base::Result<std::vector<double>> percents_of(const std::string& given) {
  std::vector<double> percents;
  std::optional<double> p99_within;
  std::vector<measure::ToolFigures> by_definition;  // filled as requests end
  for (const std::string_view part : base::split(given, ',')) {
    const std::string_view text = base::trim(part);
    double percent = 0;
    const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), percent);
    if (failed != std::errc{} || end != text.data() + text.size() || !(percent > 0) ||
        percent > 100) {
      return base::bad_input("--metric-percentiles", fmt::format("'{}' is no percentile", text),
                             "numbers above 0 and up to 100, such as 50,95,99.9");
    }
    percents.push_back(percent);
  }
  return percents;
}

// "5%" of the percentile to either side of it.
base::Result<std::optional<double>> p99_within_of(const std::string& given) {
  if (given.empty()) {
    return std::nullopt;
  }
  const auto share = quantity::parse_share("--stop-when-p99-within", given);
  if (!share) {
    return tl::unexpected(share.error());
  }
  if (*share >= 1) {
    return base::bad_input("--stop-when-p99-within", given, "less than 100%, such as 5%");
  }
  return *share;
}

template <typename Value>
bool take(base::Result<Value>&& read, Value& into, base::Status& status) {
  if (status && !read) {
    status = tl::unexpected(read.error());
  }
  if (!status) {
    return false;
  }
  into = std::move(*read);
  return true;
}

// What the run's source is like. It is made again for the run itself.
base::Status look_at_source(Bench& bench) {
  return workload::make_source(bench.dataset, bench.arrivals)
      .map([&](const std::unique_ptr<workload::Source>& source) {
        bench.planned = source->planned();
        bench.facts = source->facts();
        bench.shape.closed_loop = !bench.facts.paced && bench.shape.max_concurrency.has_value();
      });
}

// A file that has gone since it was looked at leaves nothing to send.
std::unique_ptr<workload::Source> source_of(const Bench& bench) {
  auto source = workload::make_source(bench.dataset, bench.arrivals);
  return source ? std::move(*source)
                : std::make_unique<workload::ListSource>(std::vector<workload::Request>{});
}

base::Result<Bench> prepare(const Options& options) {
  if (const double wait = options.ready_check_timeout_s; !(wait >= 0) || wait > kLongestReadyS) {
    return base::bad_input("--ready-check-timeout-sec", fmt::format("{} s", wait),
                           fmt::format("from 0 to {:.0f}", kLongestReadyS));
  }
  Bench bench;
  base::Status ok;
  std::vector<const measure::ToolDefinition*> tools;
  const EndpointFlags& flags = options.endpoint;
  if (take(target_of(flags), bench.target, ok) && take(options_of(flags), bench.options, ok) &&
      take(arrivals_of(flags), bench.arrivals, ok) && take(shape_of(flags), bench.shape, ok) &&
      take(dataset_of(flags, bench.arrivals.paced()), bench.dataset, ok) &&
      take(sla_of(flags), bench.sla, ok) &&
      take(metadata_of(options.metadata), bench.metadata, ok) &&
      take(percents_of(options.metric_percentiles), bench.percents, ok) &&
      take(p99_within_of(options.stop_when_p99_within), bench.p99_within, ok)) {
    ok = look_at_source(bench);
  }
  if (ok) {
    take(workload::warmup_requests(bench.dataset, flags.num_warmups), bench.warmups, ok);
  }
  if (!ok) {
    return tl::unexpected(ok.error());
  }
  if (!take(tools_of(options.definitions), tools, ok)) {
    return tl::unexpected(ok.error());
  }
  for (const measure::ToolDefinition* tool : tools) {
    bench.by_definition.emplace_back(*tool,
                                     bench.sla ? study::limits_of(*bench.sla) : measure::Limits{});
  }
  bench.run_id = fmt::format("{:x}", static_cast<std::uint64_t>(base::wall_now()));
  return bench;
}

tl::unexpected<base::Error> nothing_measured() {
  return base::environment_error("", "interrupted before anything was measured");
}

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

// The server is there, its model known, and it is warm; or Ctrl-C came first.
base::Status start_shown(Bench& bench, const StartOptions& options, const SignalWatch& signals,
                         bool quiet) {
  ProgressLine line(quiet);
  BenchStart start(bench.target, options, bench.warmups);
  const std::string text = options.self_test_streams
                               ? "testing this client, then waiting for the server, warming it up"
                               : "waiting for the server, warming it up";
  const auto begun = watched<void>(
      signals, line, [&] { return start.run(bench.options); }, [&] { start.stop(); },
      [&](base::Nanos) { return text; });
  bench.self_test = start.self_test();
  return start.stopped() ? base::Status(nothing_measured()) : begun;
}

std::string vllm_date() {
  std::string date = base::compact_utc(base::wall_now());  // "20261201T080000Z"
  date.pop_back();
  std::replace(date.begin(), date.end(), 'T', '-');
  return date;
}

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

exchange::VllmRun describe_run(const Options& options, const Bench& bench,
                               const study::EndpointResult& result) {
  exchange::VllmRun run;
  run.date = vllm_date();
  const bool chat = bench.options.endpoint == platform::OpenAiEndpoint::kChat;
  run.endpoint_type = chat ? "openai-chat" : "openai";
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
  run.connects = result.report.health.connects;
  run.detailed = result.logs;
  return run;
}

// Why the run ended, where that is not plain.
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

std::string in_result_dir(const Options& options, const std::string& name) {
  return options.result_dir.empty() ? name : options.result_dir + "/" + name;
}

std::string result_path(const Options& options, const exchange::VllmRun& run) {
  std::string name = options.result_filename;
  if (name.empty()) {
    std::string model = run.model_id.substr(run.model_id.rfind('/') + 1);
    name = fmt::format("{}-{}-{}.json", run.endpoint_type, model, run.date);
  }
  return in_result_dir(options, name);
}

// vLLM writes a file for --append-result alone, too, and none for a place alone.
bool saves(const Options& options) { return options.save_result || options.append_result; }

// Before the measurement, which may take hours.
base::Status check_result(const Options& options) {
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

base::Status save(const Options& options, const std::string& path, const std::string& json) {
  if (!saves(options)) {
    return {};
  }
  return options.append_result ? base::append_line(path, nlohmann::ordered_json::parse(json).dump())
                               : base::write_file(path, json);
}

std::string first_failure(const study::EndpointFigures& figures) {
  return figures.failure_examples.empty() ? "" : figures.failure_examples.begin()->second;
}

base::Result<int> conclude(const Options& options, const Bench& bench,
                           const study::EndpointResult& result,
                           std::optional<BenchRecord>& record) {
  const measure::Summary summary = result.figures.run.summary(bench.percents);
  if (result.report.stopped && summary.due == 0) {
    return nothing_measured();
  }
  exchange::VllmRun run = describe_run(options, bench, result);
  std::optional<study::SlaVerdict> verdict;
  if (bench.sla) {
    verdict = result.figures.sla.verdict(summary);
    run.sla = sla_result(*bench.sla, *verdict);
    if (summary.duration_s) {
      run.request_goodput = static_cast<double>(verdict->attainment.met) / *summary.duration_s;
    }
  }
  const std::string json = exchange::vllm_json(run, summary);
  auto saved = save(options, result_path(options, run), json);
  if (record) {
    const auto kept = record->finish(result.report.stopped, json);
    saved = saved.and_then([&] { return kept; });
  }
  if (!saved) {
    return tl::unexpected(saved.error());
  }
  if (options.json) {
    print_out(json);
  } else if (summary.completed > 0) {
    print_out(report::run_text(
        {bench.target.url.to_text() + bench.target.path + wire::way_text(bench.target.proxy),
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

base::Result<MaybeRecord> open_record(const Options& options, const Bench& bench) {
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

base::Result<study::EndpointResult> measure(const Options& options, Bench& bench,
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

std::optional<std::int64_t> self_test_streams(const Options& options, const Bench& bench) {
  return options.self_test ? std::optional(study::self_test_streams(
                                 bench.shape, bench.arrivals.rate_rps, bench.planned))
                           : std::nullopt;
}

// Everything that is read from the flags of a sweep or a search.
struct BenchLoads {
  LoadsAsked asked;
  study::LoadStudyOptions options;
};

base::Result<BenchLoads> prepare_loads(const Options& options, const Bench& bench) {
  if (options.store != "none" || options.save_detailed) {
    return base::bad_input(options.save_detailed ? "--save-detailed" : "--store",
                           "of many loads the figures are kept, and not each request",
                           "leave it out");
  }
  BenchLoads loads{{}, {bench.target, bench.options, bench.dataset, 1, {}, {}, {}, {}, {}}};
  base::Status ok;
  if (take(loads_of(options.search, options.endpoint), loads.asked, ok) &&
      take(rules_of(options.search), loads.options.rules, ok)) {
    take(budget_of(options.search), loads.options.budget, ok);
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
base::Json step_result(const Options& options, Bench bench, const study::StepResult& step) {
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
  if (bench.sla) {
    const study::SlaVerdict verdict = step.figures.sla.verdict(summary);
    run.sla = sla_result(*bench.sla, verdict);
    if (summary.duration_s) {
      run.request_goodput = static_cast<double>(verdict.attainment.met) / *summary.duration_s;
    }
  }
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

base::Result<int> conclude_loads(const Options& options, const Bench& bench,
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
  for (const study::StepResult& step : result.steps) {
    results.push_back(step_result(options, bench, step));
  }
  const std::string json = report::loads_json(shown, results);
  exchange::VllmRun named;
  named.date = shown.date;
  named.endpoint_type = "loads";
  named.model_id = bench.options.model;
  if (const auto saved = save(options, result_path(options, named), json); !saved) {
    return tl::unexpected(saved.error());
  }
  print_out(options.json ? json : report::loads_text(shown));
  return code_of(loads, result);
}

base::Result<int> bench_loads(const Options& options, Bench& bench, const StartOptions& before,
                              const SignalWatch& signals) {
  auto loads = prepare_loads(options, bench);
  if (!loads) {
    return tl::unexpected(loads.error());
  }
  return start_shown(bench, before, signals, options.quiet)
      .and_then([&] {
        loads->options.options = bench.options;
        return run_loads(*loads, signals, options.quiet);
      })
      .and_then([&](const study::LoadStudyResult& result) {
        return conclude_loads(options, bench, *loads, result);
      });
}

base::Result<int> bench_endpoint(const Options& options) {
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
  constexpr std::array<std::string_view, 15> kOthers = {
      "api-key",    "header",          "save-result", "save-detailed", "append-result",
      "result-dir", "result-filename", "label",       "metadata",      "json",
      "quiet",      "store",           "resume",      "help",          "self-test"};
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
  const auto options = std::make_shared<Options>();
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
