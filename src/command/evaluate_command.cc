#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <atomic>
#include <memory>
#include <nlohmann/json.hpp>
#include <thread>

#include "base/file.h"
#include "command/command.h"
#include "command/progress.h"
#include "command/signals.h"
#include "report/evaluation_json.h"
#include "report/evaluation_text.h"
#include "report/html.h"
#include "store/store.h"
#include "study/evaluation.h"

namespace steelyard::command {
namespace {

constexpr base::Nanos kLook = base::kSecond / 20;
constexpr base::Nanos kProgressEvery = base::kSecond / 2;

struct Options {
  std::string suite;
  std::string out = ".";
  std::string store = "steelyard.db";
  std::string language = "en";
  bool json = false;
  bool markdown = false;
  bool quiet = false;
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
    return nlohmann::json{{"suite_file", path}, {"suite_yaml", yaml}}.dump(
        -1, ' ', false, nlohmann::json::error_handler_t::replace);
  });
}

base::Result<study::Evaluation> run_shown(study::EvaluationRun& run, const std::string& run_id,
                                          store::Store* store, bool quiet) {
  const SignalWatch signals;
  ProgressLine line(quiet);
  std::optional<base::Result<study::Evaluation>> result;
  std::atomic<bool> done{false};
  std::thread worker([&] {
    result.emplace(run.run(run_id, store));
    done = true;
  });
  base::Nanos shown = 0;
  while (!done) {
    if (signals.wait(kLook)) {
      run.stop();
    }
    const base::Nanos now = base::monotonic_now();
    if (now - shown >= kProgressEvery) {
      shown = now;
      const auto where = run.where();
      line.show(where.text + " · " + describe(where.progress, now));
    }
  }
  worker.join();
  return std::move(*result);
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

std::string new_run_id(const study::Suite& suite) {
  std::string id = base::iso8601_utc(base::wall_now());
  std::erase_if(id, [](char c) { return c == '-' || c == ':' || c == 'Z'; });
  std::replace(id.begin(), id.end(), 'T', '-');
  return id + "-" + suite.name;
}

void print(const Options& options, const study::Evaluation& evaluation, const std::string& json,
           report::Language language) {
  if (options.json) {
    fmt::print("{}", json);
  } else if (options.markdown) {
    fmt::print("{}", report::evaluation_markdown(evaluation, language));
  } else {
    fmt::print("{}\n{}/report.html, {}/report.md, {}/ranking.json{}\n",
               report::evaluation_text(evaluation, language), options.out, options.out, options.out,
               options.store == "none" ? "" : ", " + options.store);
  }
}

base::Result<int> evaluate(const Options& options) {
  const auto language = report::parse_language("--lang", options.language);
  if (!language) {
    return tl::unexpected(language.error());
  }
  auto suite = study::load_suite(options.suite);
  if (!suite) {
    return tl::unexpected(suite.error());
  }
  auto config = config_json(options.suite);
  auto store = open_store(options);
  if (!config || !store) {
    return tl::unexpected(config ? store.error() : config.error());
  }
  std::string run_id = new_run_id(*suite);
  if (*store) {
    auto begun = (*store)->begin_run("evaluate", suite->name, *config);
    if (!begun) {
      return tl::unexpected(begun.error());
    }
    run_id = *begun;
  }
  study::EvaluationRun run(std::move(*suite));
  auto evaluation = run_shown(run, run_id, *store ? &**store : nullptr, options.quiet);
  if (!evaluation) {
    if (*store) {
      (void)(*store)->finish_run(run_id, store::RunStatus::kInterrupted, std::nullopt);
    }
    return tl::unexpected(evaluation.error());
  }
  const std::string json = report::evaluation_json(*evaluation);
  if (*store) {
    const auto status =
        evaluation->interrupted ? store::RunStatus::kInterrupted : store::RunStatus::kDone;
    if (const auto kept = (*store)->finish_run(run_id, status, json); !kept) {
      return tl::unexpected(kept.error());
    }
  }
  if (const auto written = write_reports(options, *evaluation, json, *language); !written) {
    return tl::unexpected(written.error());
  }
  print(options, *evaluation, json, *language);
  if (evaluation->interrupted) {
    fmt::print(stderr, "interrupted: what was measured until then is ranked and kept\n");
  }
  return evaluation->platforms.front().rank ? 0 : 1;
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
  command->add_option("--lang", options->language, "en or zh: of the terminal and report.md")
      ->capture_default_str();
  command->add_flag("--json", options->json, "ranking.json on stdout instead of the table");
  command->add_flag("--md", options->markdown, "Markdown on stdout instead of the table");
  command->add_flag("--quiet", options->quiet, "no progress line");
  command->callback([&run, options] { run = [options] { return evaluate(*options); }; });
}

}  // namespace steelyard::command
