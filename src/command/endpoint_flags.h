// The flags of bench that say what is sent, when and where to, in vLLM's words with the aliases of
// its peers, and their conversion into what the layers below take.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "command/auth_flags.h"
#include "command/workload_flags.h"
#include "load/plan.h"
#include "platform/dialect.h"
#include "study/endpoint_run.h"
#include "study/sla_gate.h"
#include "workload/dataset.h"

namespace CLI {
class App;
}

namespace steelyard::command {

struct EndpointFlags {
  // Where to.
  std::string url_flag = "--base-url";  // where the URL was said
  std::string base_url = "http://127.0.0.1:8000";
  std::string endpoint;  // path, overriding the type's own
  std::string platform = "openai";
  std::string endpoint_type;  // completions, chat or native
  std::string backend;
  std::string api_version;
  std::string model;
  AuthFlags auth{};
  std::vector<std::string> headers;
  bool insecure = false;
  std::string ca_file;
  bool no_proxy = false;
  std::string connection_reuse = "keep";
  std::string http_version = "1.1";
  std::uint32_t http2_streams = load::Target{}.http2_streams;
  std::string connect_timeout = "10s";
  std::string request_timeout = "10min";
  // What.
  std::string dataset_name = "random";
  std::string dataset_path;
  std::optional<std::int64_t> num_prompts;
  std::uint64_t seed = 0;
  std::int64_t random_input_len = 1'024;
  std::int64_t random_output_len = 128;
  double random_range_ratio = 0;
  std::string random_range_style = "vllm";
  std::optional<std::int64_t> output_len;
  double time_scale = 1;
  bool no_stream = false;
  bool ignore_eos = false;
  bool max_completion_tokens = false;
  std::optional<double> temperature;
  std::string extra_body;
  // When.
  std::string request_rate = "inf";
  double burstiness = 1;
  std::optional<std::int64_t> max_concurrency;
  std::string duration;
  std::int64_t num_warmups = 0;
  WorkloadFlags workload{};
  // Within what.
  std::vector<std::string> sla;
  std::string sla_target = "99%";
  std::vector<std::string> goodput;
};

void add_flags(CLI::App& command, EndpointFlags& flags);
// Of them, those that say where a single request goes, beside the URL and the platform.
void add_server_flags(CLI::App& command, EndpointFlags& flags);

[[nodiscard]] base::Result<load::Target> target_of(const EndpointFlags& flags);
// The model is left as given, which may be empty.
[[nodiscard]] base::Result<platform::RequestOptions> options_of(const EndpointFlags& flags);
// Whether it is a closed loop is for the source to say.
[[nodiscard]] base::Result<study::LoadShape> shape_of(const EndpointFlags& flags);
[[nodiscard]] base::Result<workload::ArrivalOptions> arrivals_of(const EndpointFlags& flags);
[[nodiscard]] base::Result<workload::DatasetOptions> dataset_of(const EndpointFlags& flags,
                                                                bool paced);
// Absent when no term was given.
[[nodiscard]] base::Result<std::optional<study::Sla>> sla_of(const EndpointFlags& flags);

}  // namespace steelyard::command
