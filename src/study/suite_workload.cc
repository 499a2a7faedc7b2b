#include "study/suite_workload.h"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <filesystem>

#include "study/suite_values.h"
#include "workload/limits.h"

namespace steelyard::study {
namespace {

using base::YamlMap;
using base::YamlText;
using workload::kFastestRps;
using workload::kMostInputTokens;
using workload::kMostTokens;
using workload::kSlowestRps;

std::string beside(const std::string& suite_path, const std::string& path) {
  return (std::filesystem::path(suite_path).parent_path() / path).string();
}

void read_random(YamlMap& map, workload::DatasetOptions& dataset) {
  dataset.random_input_len = count(map, "input_tokens", dataset.random_input_len, 1, kMostTokens);
  dataset.random_output_len =
      count(map, "output_tokens", dataset.random_output_len, 1, kMostTokens);
  dataset.range_ratio = map.maybe_number("range_ratio").value_or(0);
  if (*dataset.num_prompts > kMostInputTokens / dataset.random_input_len) {
    complain(map, map.where("requests"),
             fmt::format("{} requests of {} input tokens do not fit in memory",
                         *dataset.num_prompts, dataset.random_input_len),
             fmt::format("at most {} input tokens in all", kMostInputTokens));
  }
}

void read_file_of(YamlMap& map, const std::string& suite_path, workload::DatasetOptions& dataset) {
  dataset.path = beside(suite_path, map.text("path"));
  if (map.has("output_tokens")) {
    dataset.output_len = count(map, "output_tokens", 1, 1, kMostTokens);
  }
}

void read_dataset(YamlMap& map, const std::string& suite_path, workload::DatasetOptions& dataset) {
  const YamlText kind = map.located("dataset");
  // Those whose keys a suite has.
  const auto known = workload::dataset_named(kind.value);
  if (known && *known <= workload::Dataset::kTrace) {
    dataset.dataset = *known;
    dataset.trace.format = workload::trace_format_named(kind.value);
  } else {
    complain(map, kind.where, "dataset '" + kind.value + "' is not known",
             "random, sharegpt or trace");
  }
  dataset.num_prompts = count(map, "requests", 90, 2, workload::kMostRequests);
  dataset.seed = static_cast<std::uint64_t>(map.maybe_integer("seed").value_or(1));
  if (dataset.dataset == workload::Dataset::kRandom) {
    read_random(map, dataset);
  } else {
    read_file_of(map, suite_path, dataset);
  }
  if (dataset.dataset == workload::Dataset::kTrace) {
    dataset.time_scale = map.maybe_number("time_scale").value_or(1);
    if (!(dataset.time_scale > 0) || dataset.time_scale > workload::kMostTimeScale) {
      complain(map, map.where("time_scale"), fmt::format("a scale of {}", dataset.time_scale),
               fmt::format("above 0 up to {:g}", workload::kMostTimeScale));
    }
  }
}

void read_rate(YamlMap& map, workload::ArrivalOptions& arrivals) {
  if (const auto rate = map.maybe_number("request_rate")) {
    arrivals.rate_rps = *rate;
    if (!(*rate >= kSlowestRps) || *rate > kFastestRps) {
      complain(map, map.where("request_rate"), fmt::format("a rate of {}", *rate),
               fmt::format("requests a second, from {:g} to {:g}; left out for a closed loop",
                           kSlowestRps, kFastestRps));
    }
  }
  arrivals.burstiness = map.maybe_number("burstiness").value_or(1);
}

// Just one of: a rate, the trace's own arrivals, and a closed loop.
void read_load(YamlMap& map, SuiteWorkload& workload) {
  read_rate(map, workload.arrivals);
  if (map.has("max_concurrency")) {
    workload.shape.max_concurrency = count(map, "max_concurrency", 1, 1, workload::kMostAtOnce);
  }
  const bool paced = !std::isinf(workload.arrivals.rate_rps);
  const bool recorded = map.maybe_bool("recorded_arrivals").value_or(false);
  if (recorded && workload.dataset.dataset != workload::Dataset::kTrace) {
    complain(map, map.where("recorded_arrivals"), "only a trace has recorded arrivals",
             "dataset: trace");
  }
  if (recorded && paced) {
    complain(map, map.where("recorded_arrivals"), "both recorded_arrivals and request_rate",
             "one of them");
  }
  workload.shape.closed_loop = !recorded && !paced;
  if (workload.shape.closed_loop && !workload.shape.max_concurrency) {
    complain(map, map.where(), "no load is given",
             "max_concurrency for a closed loop, request_rate, or recorded_arrivals");
  }
}

// The key of a suite for the flag that a dataset's complaint names.
constexpr std::array<std::pair<std::string_view, std::string_view>, 3> kKeys = {
    {{"--num-prompts", "requests"},
     {"--random-range-ratio", "range_ratio"},
     {"--burstiness", "burstiness"}}};

}  // namespace

SuiteWorkload read_workload(YamlMap map, const std::string& suite_path) {
  SuiteWorkload workload;
  read_dataset(map, suite_path, workload.dataset);
  read_load(map, workload);
  workload.rounds = count(map, "rounds", 3, 1);
  workload.warmups = count(map, "warmups", 1, 0, workload::kMostWarmups);
  workload.source = maybe_line(map, "source");
  workload.licence = maybe_line(map, "licence");
  if (workload.rounds > *workload.dataset.num_prompts) {
    complain(
        map, map.where("rounds"),
        fmt::format("{} rounds of {} requests", workload.rounds, *workload.dataset.num_prompts),
        "as many requests as rounds, or more");
  }
  return workload;
}

base::Result<std::vector<workload::Request>> build_requests(const YamlMap& map,
                                                            const SuiteWorkload& workload) {
  return workload::build_requests(workload.dataset, workload.arrivals)
      .map([&](std::vector<workload::Request> requests) {
        if (workload.shape.closed_loop) {  // a trace's are due whenever there is room for them
          for (workload::Request& request : requests) {
            request.due = 0;
          }
        }
        return requests;
      })
      .map_error([&](base::Error error) {
        for (const auto& [flag, key] : kKeys) {
          if (error.where == flag) {
            error.where = map.where(key);
          }
        }
        return error;
      });
}

}  // namespace steelyard::study
