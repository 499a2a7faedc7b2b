// What `bench` makes of a measurement: the result file, and where it goes.
#pragma once

#include <optional>
#include <string>

#include "command/bench_options.h"
#include "exchange/vllm_json.h"
#include "study/endpoint_run.h"

namespace steelyard::command {

// "20261201-080000", UTC.
[[nodiscard]] std::string vllm_date();
[[nodiscard]] exchange::VllmRun describe_run(const BenchOptions& options, const Bench& bench,
                                             const study::EndpointResult& result);
// Fills in what `run` says of its SLA, where it has one.
std::optional<study::SlaVerdict> judge(const Bench& bench, const study::EndpointFigures& figures,
                                       const measure::Summary& summary, exchange::VllmRun& run);
// The words of one, "" where none failed.
[[nodiscard]] std::string first_failure(const study::EndpointFigures& figures);
// Why the run ended, where that is not plain.
[[nodiscard]] std::string ended_words(const exchange::VllmRun& run);

// What its file is called where no flag names it: <kind>-<model>-<date>.json.
struct ResultName {
  std::string kind;  // "openai-chat", "loads"
  std::string model;
  std::string date;
};
[[nodiscard]] std::string result_path(const BenchOptions& options, const ResultName& result);
// That the result can be written, before the measurement, which may take hours.
[[nodiscard]] base::Status check_result(const BenchOptions& options);
// Where the flags ask for a file.
[[nodiscard]] base::Status save(const BenchOptions& options, const std::string& path,
                                const std::string& json);

}  // namespace steelyard::command
