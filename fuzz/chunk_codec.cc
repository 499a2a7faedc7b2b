// Any bytes are chunks that encode to what reads back the same, or nothing.
#include "store/chunk_codec.h"

#include <cstdint>
#include <cstdlib>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace steelyard::store;
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const auto chunks = decode_chunks(7, bytes);
  if (!chunks) {
    return 0;
  }
  const auto again = decode_chunks(7, encode_chunks(7, *chunks));
  if (!again || again->size() != chunks->size()) {
    std::abort();
  }
  for (std::size_t i = 0; i < chunks->size(); ++i) {
    const auto& left = (*chunks)[i];
    const auto& right = (*again)[i];
    if (left.at != right.at || left.kind != right.kind || left.tokens != right.tokens) {
      std::abort();
    }
  }
  return 0;
}
