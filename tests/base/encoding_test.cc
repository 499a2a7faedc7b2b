#include "base/encoding.h"

#include "base/random.h"

namespace steelyard::base {
namespace {

TEST(Encoding, hex_is_lower_case) { EXPECT_EQ(hex(std::string_view("\x00\xABz", 3)), "00ab7a"); }

// RFC 4648, section 10.
TEST(Encoding, base64_is_that_of_the_standard) {
  const std::vector<std::pair<std::string, std::string>> vectors = {{"", ""},
                                                                    {"f", "Zg=="},
                                                                    {"fo", "Zm8="},
                                                                    {"foo", "Zm9v"},
                                                                    {"foob", "Zm9vYg=="},
                                                                    {"fooba", "Zm9vYmE="},
                                                                    {"foobar", "Zm9vYmFy"}};
  for (const auto& [bytes, text] : vectors) {
    EXPECT_EQ(base64(bytes), text);
    EXPECT_EQ(from_base64(text), bytes);
  }
  EXPECT_EQ(base64("\xFB\xFF"), "+/8=");
  EXPECT_EQ(base64url("\xFB\xFF"), "-_8");
}

TEST(Encoding, what_is_no_base64_is_refused) {
  for (const std::string text : {"Zg", "Zg=", "Z===", "Z g=", "-_8=", "Zg==Zg==", "===="}) {
    EXPECT_EQ(from_base64(text), std::nullopt) << text;
  }
}

TEST(Encoding, any_bytes_come_back) {
  Random random(43);
  for (int round = 0; round < 500; ++round) {
    std::string bytes;
    for (std::int64_t i = random.integer(0, 40); i > 0; --i) {
      bytes += static_cast<char>(random.integer(0, 255));
    }
    EXPECT_EQ(from_base64(base64(bytes)), bytes);
    EXPECT_EQ(percent_decode(percent_encode(bytes)), bytes);
  }
}

TEST(Encoding, percent_leaves_what_rfc_3986_calls_unreserved) {
  EXPECT_EQ(percent_encode("aZ09-._~"), "aZ09-._~");
  EXPECT_EQ(percent_encode("/a b%3A中", "/"), "/a%20b%253A%E4%B8%AD");
  EXPECT_EQ(percent_encode("/+="), "%2F%2B%3D");
}

TEST(Encoding, a_percent_that_encodes_nothing_stays) {
  EXPECT_EQ(percent_decode("100%"), "100%");
  EXPECT_EQ(percent_decode("%4"), "%4");
  EXPECT_EQ(percent_decode("%zz%4g%2f+"), "%zz%4g/+");
}

}  // namespace
}  // namespace steelyard::base
