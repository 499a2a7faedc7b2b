// Any bytes are a recorded answer, which is told in words and as JSON, or bad input with words.
#include <cstdint>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <string_view>

#include "base/json.h"
#include "command/inspect.h"
#include "command/inspect_text.h"
#include "platform/recognise.h"

using namespace steelyard;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const auto facts = command::inspect_stream("fuzz", bytes);
  if (!facts) {
    if (facts.error().what.empty()) {
      std::abort();
    }
    return 0;
  }
  const std::string told = command::describe(*facts) + command::describe_events(*facts);
  if (told.empty() || base::dump_json(command::inspect_json("fuzz", *facts)).empty()) {
    std::abort();
  }
  const auto all = platform::dialects();
  (void)command::inspect_stream("fuzz", bytes, all[size % all.size()]);
  return 0;
}
