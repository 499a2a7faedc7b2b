#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <nlohmann/json.hpp>

#include "base/file.h"
#include "base/json.h"
#include "command/command.h"
#include "command/resumable.h"
#include "command/watched.h"
#include "report/evaluation_json.h"
#include "report/evaluation_text.h"
#include "report/html.h"
#include "store/store.h"
#include "study/evaluation.h"

namespace steelyard::command {
namespace {

struct Options {
  std::string suite;
  std::string out = ".";
  std::string store = "steelyard.db";
  std::string language = "en";
  std::string resume;
  bool json = false;
  bool markdown = false;
  bool quiet = false;
  bool self_test = false;
  bool no_proxy = false;
};

base::Result<std::optional<store::Store>> open_store(const Options& options) {
  if (options.store == "none") {
    return std::optional<store::Store>();
  }
  return store::Store::open(options.store).map([](store::Store opened) {
    return std::optional<store::Store>(std::move(opened));
  });
}

// What the run was asked for, as it stands in the file: keys are named there by their variable.
base::Result<std::string> config_json(const std::string& path) {
  return base::read_file(path).map([&](const std::string& yaml) {
    return base::dump_json(base::Json{{"suite_file", path}, {"suite_yaml", yaml}});
  });
}

base::Result<study::Evaluation> run_shown(study::EvaluationRun& run, const std::string& run_id,
                                          store::Store* store, const SignalWatch& signals,
                                          bool quiet) {
  ProgressLine line(quiet);
  return watched<study::Evaluation>(
      signals, line, [&] { return run.run(run_id, store); }, [&] { run.stop(); },
      [&](base::Nanos now) {
        const auto where = run.where();
        return where.progress ? where.text + " · " + describe(*where.progress, now) : where.text;
      });
}

base::Status write_reports(const Options& options, const study::Evaluation& evaluation,
                           const std::string& json, report::Language language) {
  return base::write_file(options.out + "/ranking.json", json)
      .and_then([&] {
        return base::write_file(options.out + "/report.md",
                                report::evaluation_markdown(evaluation, language));
      })
      .and_then(
          [&] { return base::write_file(options.out + "/report.html", report::html_page(json)); });
}

void print(const Options& options, const study::Evaluation& evaluation, const std::string& json,
           report::Language language, bool kept) {
  if (options.json) {
    print_out(json);
  } else if (options.markdown) {
    print_out(report::evaluation_markdown(evaluation, language));
  } else {
    print_out(report::evaluation_text(evaluation, language));
    if (kept) {
      print_out(fmt::format("\n{0}/report.html, {0}/report.md, {0}/ranking.json{1}\n", options.out,
                            options.store == "none" ? "" : ", " + options.store));
    }
  }
  std::fflush(stdout);
}

// The first of what went wrong; all is tried.
base::Status keep(const Options& options, const study::Evaluation& evaluation,
                  const std::string& json, report::Language language, store::Store* store) {
  base::Status status = write_reports(options, evaluation, json, language);
  if (evaluation.store_failure) {
    status = status.and_then(
        [&]() -> base::Status { return tl::unexpected(*evaluation.store_failure); });
  }
  if (store != nullptr) {
    auto finished = store->finish_run(
        evaluation.run_id,
        evaluation.interrupted ? store::RunStatus::kInterrupted : store::RunStatus::kDone, json);
    status = status.and_then([&] { return finished; });
  }
  return status;
}

base::Result<int> measure_and_report(const Options& options, study::Suite suite,
                                     report::Language language, const std::string& run_id,
                                     store::Store* store) {
  const SignalWatch signals;
  study::EvaluationRun run(std::move(suite));
  if (!options.resume.empty()) {
    run.resume();
  }
  if (options.self_test) {
    run.test_client_first();
  }
  auto evaluation = run_shown(run, run_id, store, signals, options.quiet);
  if (!evaluation) {
    if (store != nullptr) {
      (void)store->finish_run(run_id, store::RunStatus::kInterrupted, std::nullopt);
    }
    return tl::unexpected(evaluation.error());
  }
  const std::string json = report::evaluation_json(*evaluation);
  const base::Status kept = keep(options, *evaluation, json, language, store);
  print(options, *evaluation, json, language, kept.has_value());
  if (evaluation->interrupted) {
    print_error("interrupted: what was measured until then is ranked and kept\n");
  }
  return kept.map([&] { return evaluation->platforms.front().rank ? 0 : 1; });
}

// A run of the same suite goes on. The file may have moved; its text may not have changed.
base::Result<std::string> resume_run(const Options& options, const std::string& config,
                                     store::Store& store) {
  return resumable_run(store, options.store, "evaluate", options.resume)
      .and_then([&](const store::RunRecord& run) -> base::Result<std::string> {
        const auto yaml_of = [](const std::string& json) {
          return base::parse_json(json).value_or(base::Json::object()).value("suite_yaml", "");
        };
        if (yaml_of(run.config_json) != yaml_of(config)) {
          return base::bad_input(options.suite, "not the suite that run " + run.id + " began with",
                                 "the file as it was then");
        }
        return store.resume_run(run.id).map([&] { return run.id; });
      });
}

// As `bench` goes: what the environment names, but for what is emulated here.
base::Status take_proxies(const Options& options, study::Suite& suite) {
  for (study::SuitePlatform& platform : suite.platforms) {
    if (options.no_proxy || platform.absent || platform.emulated) {
      continue;
    }
    auto proxy = wire::proxy_for(platform.target.url, wire::process_environment());
    if (!proxy) {
      return tl::unexpected(proxy.error());
    }
    platform.target.proxy = std::move(*proxy);
  }
  return {};
}

base::Result<int> evaluate(const Options& options) {
  const auto language = report::parse_language("--lang", options.language);
  if (!language) {
    return tl::unexpected(language.error());
  }
  auto suite = study::load_suite(options.suite);
  const auto config = config_json(options.suite);
  if (!suite || !config) {
    return tl::unexpected(suite ? config.error() : suite.error());
  }
  if (const auto taken = take_proxies(options, *suite); !taken) {
    return tl::unexpected(taken.error());
  }
  if (auto ready = base::check_writable_folder(options.out); !ready) {
    ready.error().where = "--out " + ready.error().where;
    return tl::unexpected(ready.error());
  }
  auto store = open_store(options);
  if (!store) {
    return tl::unexpected(store.error());
  }
  if (!options.resume.empty() && !*store) {
    return base::bad_input("--resume", "no store is named that has the run", "--store FILE");
  }
  if (!*store) {
    // No store names the run; its id stands in the requests' headers.
    return measure_and_report(options, std::move(*suite), *language,
                              base::compact_utc(base::wall_now()), nullptr);
  }
  const auto run_id = options.resume.empty() ? (*store)->begin_run("evaluate", suite->name, *config)
                                             : resume_run(options, *config, **store);
  if (!run_id) {
    return tl::unexpected(run_id.error());
  }
  return measure_and_report(options, std::move(*suite), *language, *run_id, &**store);
}

}  // namespace

void add_evaluate(CLI::App& app, Run& run) {
  const auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand(
      "evaluate", "Measure several platforms on one workload and rank them by CPTLS under the SLA");
  command->add_option("SUITE", options->suite, "YAML file (docs/suite.example.yaml)")->required();
  command->add_option("--out", options->out, "folder for report.html, report.md and ranking.json")
      ->capture_default_str();
  command->add_option("--store", options->store, "SQLite file for runs and records, or none")
      ->capture_default_str();
  command->add_option("--resume", options->resume,
                      "go on with this run of the store, begun with the same suite");
  command->add_option("--lang", options->language, "en or zh: of the terminal and report.md")
      ->capture_default_str();
  auto* json = command->add_flag("--json", options->json, "ranking.json on stdout, not the table");
  command->add_flag("--md", options->markdown, "Markdown on stdout, not the table")->excludes(json);
  command->add_flag("--self-test", options->self_test,
                    "first measure this client against the truth server, about 4 s");
  command->add_flag("--no-proxy", options->no_proxy,
                    "go directly whatever http_proxy, https_proxy and all_proxy say");
  command->add_flag("--quiet", options->quiet, "no progress line");
  command->callback([&run, options] { run = [options] { return evaluate(*options); }; });
}

}  // namespace steelyard::command
