// Any bytes are a trace in order of arrival or an error.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "workload/trace.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const auto rows = steelyard::workload::parse_trace("trace.csv", bytes);
  for (std::size_t i = 1; rows && i < rows->size(); ++i) {
    if ((*rows)[i].due < (*rows)[i - 1].due) {
      std::abort();
    }
  }
  return 0;
}
