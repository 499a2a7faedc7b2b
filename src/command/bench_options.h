// What `bench` is asked for: its flags, and what is read from them before anything is sent.
#pragma once

#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "base/json.h"
#include "command/endpoint_flags.h"
#include "command/search_flags.h"
#include "measure/certificate.h"
#include "measure/tool_definitions.h"

namespace steelyard::command {

struct BenchOptions {
  EndpointFlags endpoint;
  SearchFlags search;
  double ready_check_timeout_s = 0;
  bool save_result = false;
  bool save_detailed = false;
  bool append_result = false;
  std::string result_dir;
  std::string result_filename;
  std::string label;
  std::vector<std::string> metadata;
  std::string metric_percentiles = "50,90,99";
  std::string percentile_metrics;  // accepted: the file has every metric
  bool json = false;
  bool quiet = false;
  bool self_test = false;
  // Accepted because people's scripts have them; nothing here needs a tokenizer.
  std::string tokenizer;
  bool trust_remote_code = false;
  std::string stop_when_p99_within;
  std::string definitions;
  std::string store = "none";
  std::string resume;
  base::Json settings;  // the flags that say what is measured
};

// Everything that is read from the flags before anything is sent.
struct Bench {
  load::Target target;
  platform::RequestOptions options;
  study::LoadShape shape;
  workload::ArrivalOptions arrivals;
  std::optional<study::Sla> sla;
  workload::DatasetOptions dataset;
  std::optional<std::int64_t> planned;  // requests, where that is known
  workload::SourceFacts facts;          // as far as they are known before
  std::vector<workload::Request> warmups;
  std::map<std::string, std::string> metadata;
  std::vector<double> percents;
  std::optional<double> p99_within;
  std::vector<measure::ToolFigures> by_definition;  // filled as requests end
  std::string run_id;
  std::optional<measure::SelfTest> self_test;
};

// A flag that cannot be is bad input.
[[nodiscard]] base::Result<Bench> prepare(const BenchOptions& options);

// A file that has gone since it was looked at leaves nothing to send.
[[nodiscard]] std::unique_ptr<workload::Source> source_of(const Bench& bench);

// Reads one thing after the other until one cannot be read: `status` is then its error.
template <typename Value>
bool take(base::Result<Value>&& read, Value& into, base::Status& status) {
  if (status && !read) {
    status = tl::unexpected(read.error());
  }
  if (!status) {
    return false;
  }
  into = std::move(*read);
  return true;
}

}  // namespace steelyard::command
