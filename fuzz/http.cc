// Any bytes, cut anywhere, give the same message as the whole, on either side.
#include <cstdint>
#include <cstdlib>
#include <string>

#include "wire/http_reader.h"
#include "wire/url.h"

namespace {

using steelyard::wire::HttpReader;

std::string message_of(std::string_view bytes, std::size_t cut, HttpReader::Side side) {
  HttpReader reader(side);
  std::string body;
  const auto keep = [&](std::string_view piece) { body += piece; };
  const std::size_t taken = reader.feed(bytes.substr(0, cut), keep);
  if (taken == cut) {
    reader.feed(bytes.substr(cut), keep);
  }
  const bool done = reader.finish();
  return body + (done ? "|done|" : "|open|") + std::string(reader.error()) +
         std::string(reader.head().field("content-length"));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const std::size_t cut = size == 0 ? 0 : data[0] % (size + 1);
  for (const auto side : {HttpReader::Side::kRequests, HttpReader::Side::kResponses}) {
    if (message_of(bytes, cut, side) != message_of(bytes, size, side)) {
      std::abort();
    }
  }
  (void)steelyard::wire::parse_url("fuzz", bytes);
  return 0;
}
