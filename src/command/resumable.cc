#include "command/resumable.h"

#include <algorithm>

namespace steelyard::command {

base::Result<store::RunRecord> find_run(store::Store& store, const std::string& where,
                                        const std::string& path, const std::string& run_id) {
  const auto runs = store.list_runs();
  if (!runs) {
    return tl::unexpected(runs.error());
  }
  const auto run = std::ranges::find(*runs, run_id, &store::RunRecord::id);
  if (run == runs->end()) {
    return base::bad_input(where, path + " has no run '" + run_id + "'",
                           "`steelyard runs list` shows them");
  }
  return *run;
}

base::Result<store::RunRecord> resumable_run(store::Store& store, const std::string& path,
                                             const std::string& kind, const std::string& run_id) {
  auto run = find_run(store, "--resume", path, run_id);
  if (!run) {
    return run;
  }
  if (run->kind != kind) {
    return base::bad_input("--resume", "run " + run_id + " is no " + kind,
                           "`steelyard " + run->kind + "` goes on with it");
  }
  if (run->status == store::RunStatus::kDone) {
    return base::bad_input("--resume", "run " + run_id + " is over");
  }
  if (run->status == store::RunStatus::kRunning) {
    return base::bad_input("--resume", "run " + run_id + " is being measured by another process");
  }
  return run;
}

}  // namespace steelyard::command
