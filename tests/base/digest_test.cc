#include "base/digest.h"

#include "base/encoding.h"

namespace steelyard::base {
namespace {

// FIPS 180-4's and RFC 1321's own examples.
TEST(Digest, sha256_and_md5) {
  EXPECT_EQ(hex(sha256("abc")), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(hex(sha256("")), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(hex(md5("abc")), "900150983cd24fb0d6963f7d28e17f72");
}

// RFC 4231, test case 2 and RFC 2202, test case 2.
TEST(Digest, keyed) {
  EXPECT_EQ(hex(hmac_sha256("Jefe", "what do ya want for nothing?")),
            "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843");
  EXPECT_EQ(hex(hmac_sha1("Jefe", "what do ya want for nothing?")),
            "effcdf6ae5eb2fa2d27416d5f184df9c259a7c79");
  EXPECT_EQ(hex(hmac_sha256("", "")),
            "b613679a0814d9ec772f95d778c35fc5ff1697c493715653c6c712144292c5ad");
}

TEST(Digest, a_key_that_cannot_sign_is_refused_without_being_shown) {
  struct Case {
    std::string pem;
    std::string complaint;
  };
  // The second: an Ed25519 key, RFC 8410, section 10.3.
  for (const Case& each :
       {Case{"", "no private key in PEM, or an encrypted one"},
        Case{"-----BEGIN PRIVATE KEY-----\nU0VDUkVU\n-----END PRIVATE KEY-----\n",
             "no private key in PEM, or an encrypted one"},
        Case{"-----BEGIN PRIVATE KEY-----\n"
             "MC4CAQAwBQYDK2VwBCIEINTuctv5E1hK1bbY8fdp+K06/nwoy/HU++CXqI9EdVhC\n"
             "-----END PRIVATE KEY-----\n",
             "a private key that is not RSA"}}) {
    const auto signature = rsa_sha256(Secret(each.pem), "text");
    ASSERT_FALSE(signature.has_value());
    EXPECT_EQ(signature.error(), each.complaint);
  }
}

}  // namespace
}  // namespace steelyard::base
