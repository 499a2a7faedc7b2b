// What a store holds, for a terminal and as JSON.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "measure/summary.h"
#include "store/store.h"

namespace steelyard::report {

struct ListedRun {
  store::RunRecord run;
  std::vector<store::PlatformRecord> platforms;
};

// A line a run, the oldest first; times are UTC.
[[nodiscard]] std::string runs_text(std::span<const ListedRun> runs);
// {"schema_version": 1, "runs": [{id, kind, name, status, started_at, ended_at, platforms[]}]}
[[nodiscard]] std::string runs_json(std::span<const ListedRun> runs);

struct PlatformFigures {
  std::string platform;
  measure::Summary summary;
};

// One run: what it was and, computed again from its event logs, what it measured.
[[nodiscard]] std::string run_record_text(const store::RunRecord& run,
                                          std::span<const PlatformFigures> platforms);

}  // namespace steelyard::report
