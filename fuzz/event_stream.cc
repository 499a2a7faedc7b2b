// Any bytes, cut anywhere, give the same messages as the whole; and what is read is written again.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

#include "wire/event_stream.h"

namespace {

using steelyard::wire::EventStreamHeader;
using steelyard::wire::EventStreamMessage;

std::string messages_of(std::string_view bytes, std::size_t cut) {
  std::string messages;
  steelyard::wire::EventStreamReader reader;
  const auto keep = [&](const EventStreamMessage& message) {
    std::vector<EventStreamHeader> headers;
    std::string_view rest = message.headers;
    while (const auto header = steelyard::wire::take_header(rest)) {
      headers.push_back(*header);
    }
    steelyard::wire::append_event_stream_message(headers, message.payload, messages);
  };
  reader.feed(bytes.substr(0, cut), keep);
  reader.feed(bytes.substr(cut), keep);
  reader.finish();
  if (!bytes.starts_with(messages)) {
    std::abort();
  }
  return messages + reader.error();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const std::size_t cut = size == 0 ? 0 : data[size - 1] % (size + 1);
  if (messages_of(bytes, cut) != messages_of(bytes, size)) {
    std::abort();
  }
  return 0;
}
