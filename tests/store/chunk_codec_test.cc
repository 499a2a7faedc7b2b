#include "store/chunk_codec.h"

#include "random_log.h"

namespace steelyard::store {
namespace {

using measure::ChunkEvent;
using measure::ChunkKind;

void expect_back(base::Nanos origin, const std::vector<ChunkEvent>& chunks) {
  const auto back = decode_chunks(origin, encode_chunks(origin, chunks));
  ASSERT_TRUE(back);
  ASSERT_EQ(back->size(), chunks.size());
  for (std::size_t i = 0; i < chunks.size(); ++i) {
    expect_equal((*back)[i], chunks[i]);
  }
}

TEST(ChunkCodec, gives_back_what_it_took) {
  base::Random random(71);
  for (int round = 0; round < 5000; ++round) {
    const base::Nanos origin = random.integer(0, 1LL << 55);
    expect_back(origin, random_chunks(random, origin));
  }
}

TEST(ChunkCodec, takes_the_ends_of_every_range) {
  constexpr base::Nanos kLeast = std::numeric_limits<base::Nanos>::min();
  constexpr base::Nanos kMost = std::numeric_limits<base::Nanos>::max();
  constexpr std::uint32_t kTokens = std::numeric_limits<std::uint32_t>::max();
  expect_back(0, {});
  expect_back(kMost, {{kLeast, ChunkKind::kToolCall, kTokens}, {kMost, ChunkKind::kEmpty, 0}});
  expect_back(kLeast, {{kMost, ChunkKind::kContent, 1}, {0, ChunkKind::kContent, 1}});
}

// A one-token chunk 20 ms after the one before: 25 bits zigzagged, in four bytes, and one byte.
TEST(ChunkCodec, needs_five_bytes_for_a_usual_chunk) {
  std::vector<ChunkEvent> chunks;
  for (int i = 1; i <= 100; ++i) {
    chunks.push_back({i * 20 * base::kMillisecond, ChunkKind::kContent, 1});
  }
  EXPECT_EQ(encode_chunks(0, chunks).size(), 500U);
}

TEST(ChunkCodec, refuses_what_it_did_not_write) {
  const std::string bytes =
      encode_chunks(0, std::vector<ChunkEvent>{{1000, ChunkKind::kContent, 9}});
  for (std::size_t cut = 1; cut < bytes.size(); ++cut) {
    EXPECT_FALSE(decode_chunks(0, std::string_view(bytes).substr(0, cut))) << cut;
  }
  const std::string endless(11, '\xff');
  EXPECT_FALSE(decode_chunks(0, endless));
  EXPECT_FALSE(decode_chunks(0, std::string("\x02\x07", 2))) << "there is no seventh kind";
  EXPECT_FALSE(decode_chunks(0, std::string("\x02", 1) + std::string(9, '\xff') + "\x01"))
      << "more tokens than fit";
}

TEST(ChunkCodec, whatever_it_reads_it_could_have_written) {
  base::Random random(73);
  int read = 0;
  for (int round = 0; round < 20'000; ++round) {
    std::string bytes(static_cast<std::size_t>(random.integer(0, 12)), '\0');
    for (char& byte : bytes) {
      byte = static_cast<char>(random.integer(0, 255));
    }
    if (const auto chunks = decode_chunks(5, bytes)) {
      expect_back(5, *chunks);
      ++read;
    }
  }
  EXPECT_GT(read, 100);
}

}  // namespace
}  // namespace steelyard::store
