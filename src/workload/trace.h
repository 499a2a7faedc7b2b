// A recorded load: when each request came and how long it was, in the formats that the public
// traces have. Text is none of them; some say by hash ids which prompts began alike.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/error.h"

namespace steelyard::workload {

enum class TraceFormat : std::uint8_t {
  kOwn,         // CSV arrival_s,input_tokens,output_tokens; lines that begin with # are remarks
  kAzure,       // CSV TIMESTAMP,ContextTokens,GeneratedTokens (2023, 2024; 2025 with NumImages)
  kBurstGpt,    // CSV Timestamp,Model,Request tokens,Response tokens,... with or without sessions
  kVidur,       // CSV arrived_at,num_prefill_tokens,num_decode_tokens; lengths alone too
  kSplitwise,   // CSV request_id,...,arrival_timestamp,batch_size,prompt_size,token_size
  kMooncake,    // JSON lines timestamp (ms), input_length, output_length, hash_ids of 512 tokens
  kTimedTrace,  // vLLM's name for the same in seconds and blocks of 16, or as TraceOptions says
  kServeGen,    // JSON lines input_length, output_length: lengths alone
};

// "azure", "burstgpt", "vidur", "splitwise", "mooncake", "timed_trace", "servegen".
[[nodiscard]] std::optional<TraceFormat> trace_format_named(std::string_view name);
[[nodiscard]] std::string_view name_of(TraceFormat format);

struct TraceOptions {
  std::optional<TraceFormat> format{};  // absent: told from the first line
  double unit_s = 1;                    // kTimedTrace: of its timestamps
  std::int64_t block_tokens = 16;       // kTimedTrace: of one hash id
  // Only what came from here on, this long; what is left counts from `start`.
  base::Nanos start = 0;
  std::optional<base::Nanos> duration{};
};

struct TraceRow {
  base::Nanos due = 0;  // after the first row; in our own format after time zero
  std::int32_t input_tokens = 0;
  std::int32_t output_tokens = 0;
  std::uint32_t first_id = 0;  // into Trace::hash_ids
  std::uint32_t ids = 0;
};

struct Trace {
  TraceFormat format = TraceFormat::kOwn;
  std::vector<TraceRow> rows;  // in order of arrival
  std::vector<std::uint64_t> hash_ids;
  std::int64_t block_tokens = 0;  // of one hash id
  bool has_arrivals = true;       // else `due` is 0 throughout
  std::int64_t dropped = 0;       // rows without an answer or without a question: failed ones

  [[nodiscard]] std::span<const std::uint64_t> ids_of(const TraceRow& row) const {
    return std::span(hash_ids).subspan(row.first_id, row.ids);
  }
};

// Of our own format, a row that goes back in time and a length below 1 are bad input; of the
// others, rows are put in order and those without an answer dropped and counted, as BurstGPT marks
// what failed. A missing column, a value that is none, hash ids that do not cover the input and a
// file or window without rows are bad input, with the line.
[[nodiscard]] base::Result<Trace> parse_trace(const std::string& name, std::string_view content,
                                              const TraceOptions& options = {});
[[nodiscard]] base::Result<Trace> load_trace(const std::string& path,
                                             const TraceOptions& options = {});

}  // namespace steelyard::workload
