#include "store/chunk_codec.h"

#include <cstdint>
#include <limits>

namespace steelyard::store {
namespace {

using measure::ChunkEvent;
using measure::ChunkKind;

constexpr unsigned kKindBits = 3;
constexpr std::uint64_t kKindMask = (1U << kKindBits) - 1;
constexpr auto kLastKind = static_cast<std::uint64_t>(ChunkKind::kNoChoice);
static_assert(kLastKind <= kKindMask);

void put(std::string& bytes, std::uint64_t number) {
  while (number >= 0x80U) {
    bytes.push_back(static_cast<char>((number & 0x7FU) | 0x80U));
    number >>= 7U;
  }
  bytes.push_back(static_cast<char>(number));
}

// Takes one number off the front. The tenth byte has room for one bit.
bool take(std::string_view& bytes, std::uint64_t& number) {
  number = 0;
  for (unsigned shift = 0; shift < 64 && !bytes.empty(); shift += 7) {
    const auto byte = static_cast<unsigned char>(bytes.front());
    bytes.remove_prefix(1);
    if (shift == 63 && byte > 1) {
      return false;
    }
    number |= static_cast<std::uint64_t>(byte & 0x7FU) << shift;
    if (byte < 0x80U) {
      return true;
    }
  }
  return false;
}

// Differences wrap around in 64 bits without a sign, so any two times have one.
std::uint64_t zigzag(std::uint64_t difference) {
  const bool negative = (difference >> 63U) != 0;
  return (difference << 1U) ^ (negative ? ~std::uint64_t{0} : 0);
}
std::uint64_t unzigzag(std::uint64_t number) {
  return (number >> 1U) ^ ((number & 1U) != 0 ? ~std::uint64_t{0} : 0);
}

}  // namespace

std::string encode_chunks(base::Nanos origin, std::span<const ChunkEvent> chunks) {
  std::string bytes;
  bytes.reserve(chunks.size() * 5);
  auto before = static_cast<std::uint64_t>(origin);
  for (const ChunkEvent& chunk : chunks) {
    const auto at = static_cast<std::uint64_t>(chunk.at);
    put(bytes, zigzag(at - before));
    put(bytes, (static_cast<std::uint64_t>(chunk.tokens) << kKindBits) |
                   static_cast<std::uint64_t>(chunk.kind));
    before = at;
  }
  return bytes;
}

std::optional<std::vector<ChunkEvent>> decode_chunks(base::Nanos origin, std::string_view bytes) {
  std::vector<ChunkEvent> chunks;
  auto at = static_cast<std::uint64_t>(origin);
  while (!bytes.empty()) {
    std::uint64_t since = 0;
    std::uint64_t what = 0;
    if (!take(bytes, since) || !take(bytes, what) || (what & kKindMask) > kLastKind ||
        (what >> kKindBits) > std::numeric_limits<std::uint32_t>::max()) {
      return std::nullopt;
    }
    at += unzigzag(since);
    chunks.push_back({static_cast<base::Nanos>(at), static_cast<ChunkKind>(what & kKindMask),
                      static_cast<std::uint32_t>(what >> kKindBits)});
  }
  return chunks;
}

}  // namespace steelyard::store
