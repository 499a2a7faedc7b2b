// A trace's lengths and arrivals, with text made up for them.
#include <fmt/format.h>

#include <algorithm>

#include "workload/content.h"
#include "workload/limits.h"
#include "workload/prompts.h"

namespace steelyard::workload {
namespace {

class Recorded final : public Content {
 public:
  Recorded(Trace trace, const DatasetOptions& options, PromptPurpose purpose)
      : trace_(std::move(trace)),
        output_len_(options.output_len),
        time_scale_(options.time_scale),
        prompts_(options.seed, purpose) {}

  [[nodiscard]] std::optional<std::int64_t> count() const override {
    return static_cast<std::int64_t>(trace_.rows.size());
  }

  Request make(std::size_t index) override {
    const TraceRow& row = trace_.rows[index];
    Request request;
    request.input_tokens = row.input_tokens;
    request.output_tokens = output_len_.value_or(row.output_tokens);
    std::int64_t left = row.input_tokens;
    for (const std::uint64_t id : trace_.ids_of(row)) {
      prompts_.append_shared(request.prompt, id, std::min(left, trace_.block_tokens));
      left -= trace_.block_tokens;
    }
    if (row.ids == 0) {
      prompts_.append(request.prompt, index, row.input_tokens);
    }
    return request;
  }

  // Slower arrivals stay within the clock.
  [[nodiscard]] std::optional<base::Nanos> recorded(std::size_t index) const override {
    if (!trace_.has_arrivals) {
      return std::nullopt;
    }
    return static_cast<base::Nanos>(
        std::min(static_cast<double>(trace_.rows[index].due) * time_scale_,
                 static_cast<double>(kLatestDue)));
  }

  void note(SourceFacts& facts) const override { facts.rows_dropped = trace_.dropped; }

 private:
  Trace trace_;
  std::optional<std::int64_t> output_len_;
  double time_scale_;
  Prompts prompts_;
};

}  // namespace

ContentResult trace_content(const DatasetOptions& options, PromptPurpose purpose) {
  if (!(options.time_scale > 0) || options.time_scale > kMostTimeScale) {
    return base::bad_input("--time-scale", fmt::format("a scale of {:g}", options.time_scale),
                           fmt::format("above 0 up to {:g}", kMostTimeScale));
  }
  if (!(options.trace.unit_s > 0) || options.trace.unit_s > kMostTimeScale) {
    return base::bad_input(
        "--timed-trace-sec-multiplier", fmt::format("a unit of {:g} s", options.trace.unit_s),
        fmt::format("above 0 up to {:g}: 0.001 for milliseconds", kMostTimeScale));
  }
  if (const auto ok = within("--timed-trace-chunk-hash-size", options.trace.block_tokens, "tokens",
                             1, kMostTokens);
      !ok) {
    return tl::unexpected(ok.error());
  }
  auto trace = load_trace(options.path, options.trace);
  if (!trace) {
    return tl::unexpected(trace.error());
  }
  return std::make_unique<Recorded>(std::move(*trace), options, purpose);
}

}  // namespace steelyard::workload
