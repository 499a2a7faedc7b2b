// Digests and signatures over bytes, by OpenSSL. They give raw bytes; base/encoding.h writes those
// as text. MD5 and SHA-1 are here because protocols ask for them, not because they protect
// anything.
#pragma once

#include <string>
#include <string_view>

#include "base/error.h"
#include "base/secret.h"

namespace steelyard::base {

[[nodiscard]] std::string sha256(std::string_view bytes);
[[nodiscard]] std::string md5(std::string_view bytes);
[[nodiscard]] std::string hmac_sha256(std::string_view key, std::string_view bytes);
[[nodiscard]] std::string hmac_sha1(std::string_view key, std::string_view bytes);

// RSASSA-PKCS1-v1_5 with SHA-256 (RFC 8017, section 8.2; "RS256" of RFC 7518), by a private key in
// PEM (PKCS#8 or PKCS#1, not encrypted). The error is what is wrong with the key, for a sentence.
[[nodiscard]] tl::expected<std::string, std::string> rsa_sha256(const Secret& pem,
                                                                std::string_view bytes);

}  // namespace steelyard::base
