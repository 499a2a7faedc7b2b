#include <CLI/CLI.hpp>
#include <filesystem>
#include <memory>

#include "command/command.h"
#include "command/resumable.h"
#include "report/runs_text.h"

namespace steelyard::command {
namespace {

struct Options {
  std::string store = "steelyard.db";
  std::string run;
  bool json = false;
};

// Looking into a store must not make one.
base::Result<store::Store> existing_store(const Options& options) {
  std::error_code failed;
  if (!std::filesystem::exists(options.store, failed)) {
    return base::bad_input("--store", options.store + " does not exist",
                           "a file that `evaluate`, or `bench --store FILE`, has written");
  }
  return store::Store::open(options.store);
}

base::Result<std::vector<report::ListedRun>> listed(store::Store& store) {
  auto runs = store.list_runs();
  if (!runs) {
    return tl::unexpected(runs.error());
  }
  std::vector<report::ListedRun> all;
  for (store::RunRecord& run : *runs) {
    auto platforms = store.list_platforms(run.id);
    if (!platforms) {
      return tl::unexpected(platforms.error());
    }
    all.push_back({std::move(run), std::move(*platforms)});
  }
  return all;
}

base::Result<int> list(const Options& options) {
  auto store = existing_store(options);
  if (!store) {
    return tl::unexpected(store.error());
  }
  return listed(*store).map([&](const std::vector<report::ListedRun>& runs) {
    print_out(options.json ? report::runs_json(runs) : report::runs_text(runs));
    return 0;
  });
}

base::Result<int> show(const Options& options) {
  auto store = existing_store(options);
  if (!store) {
    return tl::unexpected(store.error());
  }
  const auto found = find_run(*store, "RUN", options.store, options.run);
  if (!found) {
    return tl::unexpected(found.error());
  }
  if (options.json && found->result_json) {
    print_out(*found->result_json + "\n");
    return 0;
  }
  const auto platforms = store->list_platforms(options.run);
  if (!platforms) {
    return tl::unexpected(platforms.error());
  }
  std::vector<report::PlatformFigures> figures;
  for (const store::PlatformRecord& platform : *platforms) {
    const auto logs = store->load_requests(options.run, platform.platform);
    if (!logs) {
      return tl::unexpected(logs.error());
    }
    figures.push_back({platform.platform, measure::summarise(*logs)});
  }
  if (options.json) {
    print_error("note: the run has no result; what its requests say follows as text\n");
  }
  print_out(report::run_record_text(*found, figures));
  return 0;
}

base::Result<int> erase(const Options& options) {
  auto store = existing_store(options);
  if (!store) {
    return tl::unexpected(store.error());
  }
  return find_run(*store, "RUN", options.store, options.run)
      .and_then([&](const store::RunRecord&) { return store->delete_run(options.run); })
      .map([&] {
        print_out("deleted " + options.run + "\n");
        return 0;
      });
}

using Work = base::Result<int> (*)(const Options&);

CLI::App* add(CLI::App& runs, const std::string& name, const std::string& what, Run& run,
              const std::shared_ptr<Options>& options, Work work) {
  CLI::App* command = runs.add_subcommand(name, what);
  command->add_option("--store", options->store, "the SQLite file")->capture_default_str();
  command->callback([&run, options, work] { run = [options, work] { return work(*options); }; });
  return command;
}

}  // namespace

void add_runs(CLI::App& app, Run& run) {
  const auto options = std::make_shared<Options>();
  CLI::App* runs = app.add_subcommand("runs", "List, show and delete the runs of a store");
  runs->require_subcommand(1);
  CLI::App* all = add(*runs, "list", "every run, the oldest first", run, options, list);
  all->add_flag("--json", options->json, "as JSON");
  CLI::App* one = add(*runs, "show", "what one run measured", run, options, show);
  one->add_option("RUN", options->run, "its id")->required();
  one->add_flag("--json", options->json, "the result it ended with, as it was written");
  CLI::App* gone = add(*runs, "delete", "one run and its requests, for good", run, options, erase);
  gone->add_option("RUN", options->run, "its id")->required();
}

}  // namespace steelyard::command
