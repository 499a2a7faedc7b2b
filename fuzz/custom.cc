// Any bytes are prompts with a sane length, or a complaint.
#include <cstdint>
#include <cstdlib>

#include "workload/custom.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  if (const auto prompts = steelyard::workload::parse_custom("f", bytes)) {
    for (const auto& prompt : *prompts) {
      if (prompt.prompt.empty() || prompt.output_tokens.value_or(1) < 1) {
        std::abort();
      }
    }
  }
  return 0;
}
