// The flags of bench that shape a load beyond random prompts at a rate: ramps, stages, traces,
// sessions, shared beginnings. Names are vLLM's, SGLang's and AIPerf's where they have one.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/error.h"
#include "workload/dataset.h"

namespace CLI {
class App;
}

namespace steelyard::command {

struct WorkloadFlags {
  // When.
  std::string ramp_strategy;  // linear or exponential
  std::optional<double> ramp_start_rps;
  std::optional<double> ramp_end_rps;
  std::string stages;
  // Datasets.
  std::int64_t random_prefix_len = 0;
  std::optional<std::int64_t> prefix_len;  // of prefix_repetition, whose default goes by the name
  std::optional<std::int64_t> suffix_len;
  std::optional<std::int64_t> num_prefixes;
  std::optional<std::int64_t> prefix_output_len;
  std::optional<std::int64_t> prompts_per_prefix;
  workload::SonnetOptions sonnet{};
  bool disable_shuffle = false;
  bool allow_repeats = false;
  // Traces.
  std::string trace_start;
  std::string trace_duration;
  double timed_trace_unit_s = 1;
  std::int64_t timed_trace_block = 16;
  bool self_timed = false;  // accepted: recorded arrivals are kept unless a rate is given
  // Sessions.
  std::optional<std::int64_t> num_sessions;
  std::string session_turns = "3";
  std::string think_time = "0s";
  std::optional<std::int64_t> session_concurrency;
};

void add_flags(CLI::App& command, WorkloadFlags& flags);

// Filled into what the other flags gave. A ramp takes `over` where the run has a time.
[[nodiscard]] base::Status read_schedule(const WorkloadFlags& flags,
                                         std::optional<base::Nanos> over,
                                         workload::ArrivalOptions& arrivals);
// `dataset_name` is what was asked for; `at_once` how many requests may be out.
[[nodiscard]] base::Status read_dataset(const WorkloadFlags& flags, std::string_view dataset_name,
                                        std::optional<std::int64_t> at_once,
                                        workload::DatasetOptions& options);

}  // namespace steelyard::command
