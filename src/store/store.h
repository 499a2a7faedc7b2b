// A store of runs: what was measured, when and with which settings, and the event log of every
// request, from which all figures can be computed again. One SQLite file; see README.md.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/error.h"
#include "measure/event_log.h"

namespace SQLite {  // NOLINT(readability-identifier-naming): the library's own
class Database;
}

namespace steelyard::store {

enum class RunStatus : std::uint8_t {
  kRunning,
  kDone,
  kInterrupted,  // stopped by the user, or its process was killed
};

// "running", "done", "interrupted"
[[nodiscard]] std::string_view name_of(RunStatus status);

struct RunRecord {
  std::string id;
  std::string kind;  // "bench", "evaluate", "watch"
  std::string name;
  base::Nanos started_at = 0;           // since 1970
  std::optional<base::Nanos> ended_at;  // of a killed one nobody knows it
  base::Nanos wall_offset = 0;  // add it to a time in the run's event logs to get one since 1970
  RunStatus status = RunStatus::kRunning;
  std::string config_json;
  std::optional<std::string> result_json;
};

// What a run has of one platform.
struct PlatformRecord {
  std::string platform;  // its name in the suite; the endpoint of a bench
  std::int64_t requests = 0;
  std::int64_t completed = 0;
};

// For one thread; other threads and processes open the file themselves. A call waits for a lock
// that another process holds, as long as `patience` says. Every error names the path: a file that
// is not ours, is damaged or is newer than we are is bad input; a disk, a permission or a lock is
// the environment.
class Store {
 public:
  // Creates the file when it is missing, but no folder. A run that was left running by a process
  // that is gone becomes an interrupted one.
  [[nodiscard]] static base::Result<Store> open(const std::string& path,
                                                base::Nanos patience = 5 * base::kSecond);
  Store(Store&&) noexcept;
  Store& operator=(Store&&) noexcept;
  ~Store();

  // Gives the new run's id, which sorts by time. `config_json` is valid JSON.
  [[nodiscard]] base::Result<std::string> begin_run(const std::string& kind,
                                                    const std::string& name,
                                                    const std::string& config_json);
  // An interrupted run goes on, in this process. Times that follow are on this boot's clock, not on
  // that of `wall_offset`.
  [[nodiscard]] base::Status resume_run(const std::string& run_id);
  // All of them or none, in one transaction; they follow those that this run has already from this
  // platform in this round.
  [[nodiscard]] base::Status append(const std::string& run_id, const std::string& platform,
                                    std::int64_t round, std::span<const measure::RequestLog> logs);
  [[nodiscard]] base::Status finish_run(const std::string& run_id, RunStatus status,
                                        const std::optional<std::string>& result_json);

  // The oldest first.
  [[nodiscard]] base::Result<std::vector<RunRecord>> list_runs();
  // By name; empty for a run that has no requests, or is none.
  [[nodiscard]] base::Result<std::vector<PlatformRecord>> list_platforms(const std::string& run_id);
  // With its requests, for good. One that a process is still writing is refused.
  [[nodiscard]] base::Status delete_run(const std::string& run_id);
  // Those of one platform in one round, for one that is measured anew.
  [[nodiscard]] base::Status erase_requests(const std::string& run_id, const std::string& platform,
                                            std::int64_t round);
  // Just as they were appended, round by round; of one round where it is given. A run or a platform
  // without requests has none.
  [[nodiscard]] base::Result<std::vector<measure::RequestLog>> load_requests(
      const std::string& run_id, const std::string& platform,
      std::optional<std::int64_t> round = {});

 private:
  Store(std::string path, base::Nanos patience, std::unique_ptr<SQLite::Database> database);
  std::string path_;
  base::Nanos patience_;
  std::unique_ptr<SQLite::Database> database_;
};

}  // namespace steelyard::store
