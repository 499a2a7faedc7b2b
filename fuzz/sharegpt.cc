// Any bytes are conversations of turns with text, or a complaint.
#include <cstdint>
#include <cstdlib>

#include "workload/sharegpt.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const auto conversations = steelyard::workload::parse_sharegpt("f", bytes);
  if (conversations) {
    for (const auto& conversation : *conversations) {
      if (conversation.empty()) {
        std::abort();
      }
      for (const auto& turn : conversation) {
        if (turn.user.empty() || turn.assistant.empty()) {
          std::abort();
        }
      }
    }
  }
  return 0;
}
