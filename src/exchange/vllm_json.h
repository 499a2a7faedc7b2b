// The result file of vLLM's `bench serve --save-result`, for everything that reads one. Keys and
// units are vLLM's (latencies in milliseconds, throughput a second); the values follow our
// definitions: TTFT to the first token-bearing chunk, ITL spread over a chunk's tokens, service
// time, nearest-rank percentiles. What vLLM has no key for stands under "steelyard".
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "measure/attainment.h"
#include "measure/certificate.h"
#include "measure/realised.h"
#include "measure/steady_state.h"
#include "measure/summary.h"
#include "measure/tool_definitions.h"

namespace steelyard::exchange {

struct SlaResult {
  std::vector<std::string> terms;
  double target = 0;
  bool met = false;
  measure::Attainment attainment;
  std::vector<std::string> reasons;
};

// How the run was asked for. Nothing here may be secret: it is written as it is.
struct VllmRun {
  std::string date;           // "20261201-080000", vLLM's form
  std::string endpoint_type;  // "openai" or "openai-chat"
  std::string label;
  std::string model_id;
  std::int64_t num_prompts = 0;
  double request_rate_rps = 0;  // infinity is written "inf"
  double burstiness = 1;
  std::optional<std::int64_t> max_concurrency;
  std::optional<double> request_goodput;  // absent when no SLA was given
  std::map<std::string, std::string> metadata;

  // What follows stands under "steelyard".
  std::string steelyard_version;
  std::string base_url;
  std::string emulated_by;  // what an emulator named itself; empty for a real server
  measure::Certificate certificate;
  measure::Connects connects;
  std::string proxy;             // its URL; empty where none was used
  std::string connection_reuse;  // "keep" or "per-request"
  std::string http_version;      // that was spoken: "1.1" or "2"
  std::optional<SlaResult> sla;  // absent when none was given
  bool interrupted = false;
  std::int64_t abandoned = 0;  // out when the run was stopped; in no figure
  std::int64_t not_sent = 0;
  bool usage_refused = false;
  bool prompts_repeat = false;       // on purpose: a cache may have served some
  std::int64_t rows_dropped = 0;     // of a trace, without an answer
  std::int64_t sessions = 0;         // conversations begun
  std::int64_t sessions_broken = 0;  // and ended by a turn that failed
  measure::RealisedLengths lengths;
  measure::SteadyState steady;
  std::string ended;  // why: "all_sent", "duration", "p99_within", "interrupted"
  // --stop-when-p99-within, as a share; and what was reached, where it was bounded.
  std::optional<double> p99_within;
  std::optional<double> p99_half_width;
  // --definitions: the run as other tools would have summed it up.
  std::span<const measure::ToolFigures> by_definition;
  // With --save-detailed: vLLM's arrays, one entry a request. Empty: left out.
  std::span<const measure::RequestLog> detailed;
};

// One JSON object, indented by two. A value that does not exist is null, never 0; with no request
// completed the percentiles are null and "completed" is 0.
[[nodiscard]] std::string vllm_json(const VllmRun& run, const measure::Summary& summary);

}  // namespace steelyard::exchange
