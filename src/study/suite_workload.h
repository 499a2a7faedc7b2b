// The workload of a suite: what is sent, how often and under which load.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/yaml_reader.h"
#include "study/endpoint_run.h"
#include "workload/dataset.h"

namespace steelyard::study {

struct SuiteWorkload {
  workload::DatasetOptions dataset;
  workload::ArrivalOptions arrivals;
  LoadShape shape;
  std::int64_t rounds = 3;   // each platform is measured so many times, in turn with the others
  std::int64_t warmups = 1;  // requests before the first round, in no figure
  std::string source;        // of a trace or dataset, as it is to be named
  std::string licence;
};

// Paths are relative to the suite's file. Complaints go to the map.
[[nodiscard]] SuiteWorkload read_workload(base::YamlMap map, const std::string& suite_path);

// What each platform is sent, all rounds. What a dataset refuses is named by its key in the suite;
// call it where nothing has been complained about.
[[nodiscard]] base::Result<std::vector<workload::Request>> build_requests(
    const base::YamlMap& map, const SuiteWorkload& workload);

}  // namespace steelyard::study
