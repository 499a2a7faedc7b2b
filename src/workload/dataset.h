// The requests of a run: what each asks and when it is due.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/error.h"
#include "workload/arrivals.h"
#include "workload/lengths.h"
#include "workload/request.h"
#include "workload/sessions.h"
#include "workload/source.h"
#include "workload/trace.h"

namespace steelyard::workload {

enum class Dataset : std::uint8_t {
  kRandom,            // generated text of drawn lengths
  kShareGpt,          // JSON: the first question of each conversation (sharegpt.h)
  kTrace,             // lengths and arrivals recorded (trace.h), text generated
  kPrefixRepetition,  // so many shared beginnings, each with an end of its own
  kSonnet,            // generated verse behind a shared beginning
  kCustom,            // JSON lines of prompts (custom.h)
  kSessions,          // conversations, turn after turn (sessions.h)
};

// "random", "sharegpt", "trace", "prefix_repetition", "sonnet", "custom", "sessions".
[[nodiscard]] std::string_view name_of(Dataset dataset);
// Those, SGLang's "generated-shared-prefix", and the formats of traces.
[[nodiscard]] std::optional<Dataset> dataset_named(std::string_view name);
// All of them, for a hint.
[[nodiscard]] std::string dataset_names();
// Whether its requests can be read without a file.
[[nodiscard]] bool needs_path(Dataset dataset);

struct PrefixOptions {
  std::int64_t prefix_len = 256;
  std::int64_t suffix_len = 256;
  std::int64_t num_prefixes = 10;
  std::int64_t output_len = 128;
};

struct SonnetOptions {
  std::int64_t input_len = 550;  // the prefix counted in
  std::int64_t output_len = 150;
  std::int64_t prefix_len = 200;
};

struct DatasetOptions {
  Dataset dataset = Dataset::kRandom;
  std::string path{};  // of those that are read from a file
  // Absent: all that the file has, or all until the stages end, or 1,000 generated ones. Of
  // sessions it is at most so many requests.
  std::optional<std::int64_t> num_prompts{};
  bool endless = false;  // generated ones without end, for a run that is stopped by time
  std::uint64_t seed = 0;
  std::int64_t random_input_len = 1'024;
  std::int64_t random_output_len = 128;
  std::int64_t random_prefix_len = 0;  // a beginning that all share, beside the input length
  double range_ratio = 0;
  RangeStyle range_style = RangeStyle::kVllm;
  std::optional<std::int64_t> output_len{};  // overrides what the file says
  double time_scale = 1;                     // trace: arrivals this many times slower
  bool shuffle = true;                       // files of prompts, and the order of prefixes
  bool allow_repeats = false;                // files of prompts: begin anew at their end
  PrefixOptions prefix{};
  SonnetOptions sonnet{};
  TraceOptions trace{};
  SessionOptions sessions{};
};

// Requests as they are wanted, in order of arrival. Arrivals are drawn from `arrivals`, but for a
// trace, which has its own unless there is a schedule. A file with fewer usable rows than
// `num_prompts` is bad input: a repeated prompt would be served from a cache.
[[nodiscard]] base::Result<std::unique_ptr<Source>> make_source(const DatasetOptions& options,
                                                                const ArrivalOptions& arrivals);

// All that a source gives, in memory. Sessions are bad input here: a turn needs the answer before.
[[nodiscard]] base::Result<std::vector<Request>> build_requests(const DatasetOptions& options,
                                                                const ArrivalOptions& arrivals);

// Whether so many requests beside the measured ones fit in memory.
[[nodiscard]] base::Status check_warmups(const std::vector<Request>& measured, std::int64_t count);
// `count` requests of the same lengths whose prompts share no beginning with the measured ones.
[[nodiscard]] std::vector<Request> warmup_requests(const std::vector<Request>& measured,
                                                   std::int64_t count, std::uint64_t seed);
// The same of the first requests of a dataset, which need not be in memory for it.
[[nodiscard]] base::Result<std::vector<Request>> warmup_requests(const DatasetOptions& options,
                                                                 std::int64_t count);

}  // namespace steelyard::workload
