// Traces in JSON lines: Mooncake's, vLLM's timed traces in the same keys, ServeGen's lengths.
#include <fmt/format.h>
#include <simdjson.h>

#include <cmath>

#include "workload/limits.h"
#include "workload/trace_lines.h"

namespace steelyard::workload {
namespace {

constexpr std::int64_t kMooncakeBlock = 512;
constexpr double kMooncakeUnit = 1e-3;
constexpr std::int64_t kTimedTraceBlock = 16;

constexpr std::string_view kRight =
    R"({"timestamp": 0, "input_length": 600, "output_length": 50, "hash_ids": [0, 1]})";

std::int64_t blocks_of(std::int64_t tokens, std::int64_t block) {
  return (tokens + block - 1) / block;
}

class JsonReader final : public TraceReader {
 public:
  JsonReader(bool has_arrivals, double unit_s, std::int64_t block)
      : has_arrivals_(has_arrivals), unit_s_(unit_s), block_(block) {}

  LineStatus read(std::string_view line, Trace& trace) override {
    simdjson::dom::object object;
    if (parser_.parse(simdjson::padded_string(line)).get(object) != simdjson::SUCCESS) {
      return tl::unexpected(LineFault{"not a JSON object", std::string(kRight)});
    }
    TraceRow row;
    auto ok = time(object, row)
                  .and_then([&] { return tokens(object, "input_length", row.input_tokens); })
                  .and_then([&] { return tokens(object, "output_length", row.output_tokens); })
                  .and_then([&] { return ids(object, row, trace); });
    if (ok) {
      trace.has_arrivals = has_arrivals_;
      trace.block_tokens = block_;
      trace.rows.push_back(row);
    }
    return ok;
  }

 private:
  LineStatus time(const simdjson::dom::object& object, TraceRow& row) const {
    if (!has_arrivals_) {
      return {};
    }
    double timestamp = 0;
    const double latest = base::to_seconds(kLatestDue);
    if (object["timestamp"].get(timestamp) != simdjson::SUCCESS || !(timestamp >= 0) ||
        timestamp * unit_s_ > latest) {
      return tl::unexpected(
          LineFault{"no timestamp, or one that is no time", "a number from 0 on"});
    }
    row.due = static_cast<base::Nanos>(std::llround(timestamp * unit_s_ * 1e9));
    return {};
  }

  static LineStatus tokens(const simdjson::dom::object& object, std::string_view key,
                           std::int32_t& into) {
    std::int64_t value = 0;
    if (object[key].get(value) != simdjson::SUCCESS || value < 0 || value > kMostRowTokens) {
      return tl::unexpected(LineFault{fmt::format("no {}, or one that is no number of tokens", key),
                                      fmt::format("a whole number from 0 to {}", kMostRowTokens)});
    }
    into = static_cast<std::int32_t>(value);
    return {};
  }

  // Ids that did not cover the input would make every prompt shorter than was recorded.
  LineStatus ids(const simdjson::dom::object& object, TraceRow& row, Trace& trace) const {
    simdjson::dom::array ids;
    const bool given = object["hash_ids"].get(ids) == simdjson::SUCCESS && ids.size() > 0;
    if (!given || block_ == 0) {
      return {};
    }
    const auto count = static_cast<std::int64_t>(ids.size());
    if (count != blocks_of(row.input_tokens, block_)) {
      return tl::unexpected(LineFault{
          fmt::format("{} hash_ids for {} tokens in blocks of {}", count, row.input_tokens, block_),
          fmt::format("{} ids, or another block size: --timed-trace-chunk-hash-size",
                      blocks_of(row.input_tokens, block_))});
    }
    row.first_id = static_cast<std::uint32_t>(trace.hash_ids.size());
    row.ids = static_cast<std::uint32_t>(count);
    for (const simdjson::dom::element id : ids) {
      std::uint64_t value = 0;
      std::int64_t negative = 0;
      if (id.get(value) != simdjson::SUCCESS) {
        if (id.get(negative) != simdjson::SUCCESS) {
          trace.hash_ids.resize(row.first_id);
          return tl::unexpected(
              LineFault{"a hash id that is no whole number", std::string(kRight)});
        }
        value = static_cast<std::uint64_t>(negative);
      }
      trace.hash_ids.push_back(value);
    }
    return {};
  }

  simdjson::dom::parser parser_;
  bool has_arrivals_;
  double unit_s_;
  std::int64_t block_;
};

}  // namespace

tl::expected<TraceFormat, LineFault> json_format_of(std::string_view line) {
  simdjson::dom::parser parser;
  simdjson::dom::object object;
  std::int64_t input = 0;
  if (parser.parse(simdjson::padded_string(line)).get(object) != simdjson::SUCCESS ||
      object["input_length"].get(input) != simdjson::SUCCESS || input < 0 ||
      input > kMostRowTokens) {
    return tl::unexpected(LineFault{"no line of a trace that is known", std::string(kRight)});
  }
  if (object["timestamp"].error() != simdjson::SUCCESS) {
    return TraceFormat::kServeGen;
  }
  simdjson::dom::array ids;
  const bool given = object["hash_ids"].get(ids) == simdjson::SUCCESS;
  const auto count = given ? static_cast<std::int64_t>(ids.size()) : 0;
  if (count == 0 || count == blocks_of(input, kMooncakeBlock)) {
    return TraceFormat::kMooncake;
  }
  if (count == blocks_of(input, kTimedTraceBlock)) {
    return TraceFormat::kTimedTrace;
  }
  return tl::unexpected(
      LineFault{fmt::format("{} hash_ids for {} tokens: neither blocks of {} nor of {}", count,
                            input, kMooncakeBlock, kTimedTraceBlock),
                "--dataset-name timed_trace with --timed-trace-chunk-hash-size"});
}

std::unique_ptr<TraceReader> json_reader(TraceFormat format, const TraceOptions& options) {
  if (format == TraceFormat::kServeGen) {
    return std::make_unique<JsonReader>(false, 0.0, std::int64_t{0});
  }
  if (format == TraceFormat::kMooncake) {
    return std::make_unique<JsonReader>(true, kMooncakeUnit, kMooncakeBlock);
  }
  return std::make_unique<JsonReader>(true, options.unit_s, options.block_tokens);
}

}  // namespace steelyard::workload
