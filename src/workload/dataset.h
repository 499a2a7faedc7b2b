// The requests of a run: what each asks and when it is due.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/error.h"
#include "workload/arrivals.h"
#include "workload/lengths.h"
#include "workload/request.h"

namespace steelyard::workload {

enum class Dataset : std::uint8_t {
  kRandom,    // generated text of drawn lengths
  kShareGpt,  // JSON: a list of {"conversations": [{"value": prompt}, {"value": answer}, ...]}
  kTrace,     // our CSV (trace.h): lengths and arrivals recorded, text generated
};

// "random", "sharegpt", "trace".
[[nodiscard]] std::string_view name_of(Dataset dataset);
[[nodiscard]] std::optional<Dataset> dataset_named(std::string_view name);

struct DatasetOptions {
  Dataset dataset = Dataset::kRandom;
  std::string path;                         // ShareGPT and trace
  std::optional<std::int64_t> num_prompts;  // absent: 1,000 random ones, or all that the file has
  std::uint64_t seed = 0;
  std::int64_t random_input_len = 1'024;
  std::int64_t random_output_len = 128;
  double range_ratio = 0;
  RangeStyle range_style = RangeStyle::kVllm;
  std::optional<std::int64_t> output_len;  // overrides what the file says
  double time_scale = 1;                   // trace: arrivals this many times slower
};

// Requests in order of arrival. Arrivals are drawn from `arrivals`, but for a trace, which has its
// own unless `arrivals.rate_rps` is finite. A file with fewer usable rows than `num_prompts` is bad
// input: a repeated prompt would be served from a cache.
[[nodiscard]] base::Result<std::vector<Request>> build_requests(const DatasetOptions& options,
                                                                const ArrivalOptions& arrivals);

// Whether so many requests beside the measured ones fit in memory.
[[nodiscard]] base::Status check_warmups(const std::vector<Request>& measured, std::int64_t count);
// `count` requests of the same lengths whose prompts share no beginning with the measured ones.
[[nodiscard]] std::vector<Request> warmup_requests(const std::vector<Request>& measured,
                                                   std::int64_t count, std::uint64_t seed);

// Tokens in English text without a tokenizer: a quarter of the bytes, at least 1. An estimate.
[[nodiscard]] std::int64_t estimated_tokens(std::string_view text);

}  // namespace steelyard::workload
