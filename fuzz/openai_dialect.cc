// Any bytes are a chunk, an error or malformed; none may crash. Lines are the events of a stream:
// by its pattern each must say what the parser says of it.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "platform/openai_dialect.h"

using namespace steelyard::platform;

namespace {

std::string said(const OpenAiEvent& event) {
  std::string text(event.content);
  text.append("|").append(event.reasoning).append("|").append(event.error).append("|");
  for (const bool flag :
       {event.has_tool_call, event.has_choices, event.finished, event.usage.has_value(),
        event.kind == OpenAiEvent::Kind::kChunk, event.kind == OpenAiEvent::Kind::kDone}) {
    text += flag ? '1' : '0';
  }
  return text;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static OpenAiReader reader;
  std::string_view bytes(reinterpret_cast<const char*>(data), size);
  (void)reader.read(size % 2 == 0 ? "" : "error", bytes);
  EventPattern pattern;
  while (!bytes.empty()) {
    const std::string_view line = bytes.substr(0, bytes.find('\n'));
    bytes.remove_prefix(std::min(bytes.size(), line.size() + 1));
    const std::string expected = said(reader.read("", line));
    if (said(reader.read("", line, pattern, true)) != expected) {
      std::abort();
    }
  }
  return 0;
}
