// Any bytes, cut anywhere, give the same events as the whole.
#include <cstdint>
#include <cstdlib>
#include <string>

#include "wire/sse.h"

namespace {

std::string events_of(std::string_view bytes, std::size_t cut) {
  std::string events;
  steelyard::wire::SseParser parser;
  const auto keep = [&](const steelyard::wire::SseEvent& event) {
    events.append(event.type).append("|").append(event.data).append("\n");
  };
  parser.feed(bytes.substr(0, cut), keep);
  parser.feed(bytes.substr(cut), keep);
  events += parser.finish(keep) ? "cut short" : "whole";
  return events;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const std::size_t cut = size == 0 ? 0 : data[0] % (size + 1);
  if (events_of(bytes, cut) != events_of(bytes, size)) {
    std::abort();
  }
  return 0;
}
