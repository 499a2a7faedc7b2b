// Any bytes are a chunk, an error or malformed; none may crash.
#include <cstdint>
#include <string_view>

#include "platform/openai_dialect.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static steelyard::platform::OpenAiReader reader;
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  (void)reader.read(size % 2 == 0 ? "" : "error", bytes);
  return 0;
}
