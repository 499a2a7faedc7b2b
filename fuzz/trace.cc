// Any bytes are a trace in order of arrival or an error.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "workload/trace.h"

namespace {

void check(const steelyard::workload::Trace& trace) {
  steelyard::base::Nanos before = 0;
  for (const auto& row : trace.rows) {
    const auto ids = static_cast<std::int64_t>(trace.ids_of(row).size());
    if (row.due < before || row.input_tokens < 1 || row.output_tokens < 1 ||
        (ids > 0 && ids * trace.block_tokens < row.input_tokens)) {
      std::abort();
    }
    before = row.due;
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace steelyard::workload;
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  TraceOptions told;
  if (size > 0) {
    told.format = static_cast<TraceFormat>(data[0] % 8);
  }
  told.start = 10;
  for (const TraceOptions& options : {TraceOptions{}, told}) {
    if (const auto trace = parse_trace("trace", bytes, options)) {
      check(*trace);
    }
  }
  return 0;
}
