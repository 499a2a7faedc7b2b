// Any bytes are a chunk, an error or malformed in every dialect; none may crash. Lines are the
// events of a stream: by its pattern each must say what it says by itself.
#include <array>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "base/encoding.h"
#include "platform/bedrock.h"
#include "platform/openai_dialect.h"
#include "platform/recognise.h"

using namespace steelyard::platform;

namespace {

std::string said(const AnswerEvent& event) {
  std::string text(event.content);
  text.append("|").append(event.reasoning).append("|").append(event.error).append("|");
  for (const bool flag :
       {event.has_tool_call, event.known, event.finished, event.usage.has_value(),
        event.kind == AnswerEvent::Kind::kChunk, event.kind == AnswerEvent::Kind::kDone}) {
    text += flag ? '1' : '0';
  }
  return text;
}

template <typename OnLine>
void each_line(std::string_view bytes, const OnLine& on_line) {
  while (!bytes.empty()) {
    const std::string_view line = bytes.substr(0, bytes.find('\n'));
    bytes.remove_prefix(std::min(bytes.size(), line.size() + 1));
    on_line(line);
  }
}

void read_in(const Dialect& dialect, std::string_view bytes) {
  const auto reader = dialect.make_reader();
  StreamMemory memory;
  (void)said(reader->read_whole(bytes));
  each_line(bytes, [&](std::string_view line) {
    const std::size_t colon = line.find(": ");
    const bool named = colon < line.size() / 2;
    (void)said(reader->read(named ? line.substr(0, colon) : "",
                            named ? line.substr(colon + 2) : line, memory, line.size() % 2 == 0));
  });
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  for (const Dialect* dialect : dialects()) {
    read_in(*dialect, bytes);
    if (dialect == &kBedrockInvoke) {  // whose events wrap the model's
      read_in(*dialect, "chunk: {\"bytes\":\"" + steelyard::base::base64(bytes) + "\"}");
    }
  }
  static OpenAiReader reader;
  (void)reader.read(size % 2 == 0 ? "" : "error", bytes);
  StreamMemory memory;
  each_line(bytes, [&](std::string_view line) {
    const std::string expected = said(reader.read("", line));
    if (said(reader.read("", line, memory, true)) != expected) {
      std::abort();
    }
  });
  return 0;
}
