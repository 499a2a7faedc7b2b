#include "base/digest.h"

#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/pem.h>

#include <array>
#include <memory>

#include "base/check.h"

namespace steelyard::base {
namespace {

const unsigned char* bytes_of(std::string_view text) {
  return reinterpret_cast<const unsigned char*>(text.data());
}

struct Free {
  void operator()(BIO* bio) const { ::BIO_free(bio); }
  void operator()(EVP_PKEY* key) const { ::EVP_PKEY_free(key); }
  void operator()(EVP_MD_CTX* context) const { ::EVP_MD_CTX_free(context); }
};
template <typename T>
using Owned = std::unique_ptr<T, Free>;

// Looked up once: OpenSSL 3 would look for it at each use, under a lock.
const EVP_MD* fetched(const char* name) { return ::EVP_MD_fetch(nullptr, name, nullptr); }

const EVP_MD* sha256_method() {
  static const EVP_MD* const method = fetched("SHA256");
  return method;
}

std::string digest(const EVP_MD* method, std::string_view bytes) {
  std::array<unsigned char, EVP_MAX_MD_SIZE> out{};
  unsigned int size = 0;
  const bool done =
      ::EVP_Digest(bytes.data(), bytes.size(), out.data(), &size, method, nullptr) == 1;
  STEELYARD_CHECK(done, "OpenSSL has no such digest");
  return {reinterpret_cast<const char*>(out.data()), size};
}

std::string hmac(const EVP_MD* method, std::string_view key, std::string_view bytes) {
  std::array<unsigned char, EVP_MAX_MD_SIZE> out{};
  unsigned int size = 0;
  const bool done = ::HMAC(method, key.data(), static_cast<int>(key.size()), bytes_of(bytes),
                           bytes.size(), out.data(), &size) != nullptr;
  STEELYARD_CHECK(done, "OpenSSL has no such digest");
  return {reinterpret_cast<const char*>(out.data()), size};
}

// Without it OpenSSL would ask for an encrypted key's password at the terminal.
int no_password(char* /*into*/, int /*size*/, int /*writing*/, void* /*context*/) { return -1; }

// TLS on this thread looks at the same queue: nothing of ours may stay in it.
class CleanErrors {
 public:
  CleanErrors() = default;
  CleanErrors(const CleanErrors&) = delete;
  CleanErrors& operator=(const CleanErrors&) = delete;
  ~CleanErrors() { ::ERR_clear_error(); }
};

Owned<EVP_PKEY> private_key(const std::string& pem) {
  const Owned<BIO> text(::BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size())));
  return Owned<EVP_PKEY>(::PEM_read_bio_PrivateKey(text.get(), nullptr, no_password, nullptr));
}

}  // namespace

std::string sha256(std::string_view bytes) { return digest(sha256_method(), bytes); }

std::string md5(std::string_view bytes) {
  static const EVP_MD* const method = fetched("MD5");
  return digest(method, bytes);
}

std::string hmac_sha256(std::string_view key, std::string_view bytes) {
  return hmac(sha256_method(), key, bytes);
}

std::string hmac_sha1(std::string_view key, std::string_view bytes) {
  static const EVP_MD* const method = fetched("SHA1");
  return hmac(method, key, bytes);
}

tl::expected<std::string, std::string> rsa_sha256(const Secret& pem, std::string_view bytes) {
  const CleanErrors clean;
  const Owned<EVP_PKEY> key = private_key(pem.reveal());
  if (!key) {
    return tl::unexpected(std::string("no private key in PEM, or an encrypted one"));
  }
  if (::EVP_PKEY_get_base_id(key.get()) != EVP_PKEY_RSA) {
    return tl::unexpected(std::string("a private key that is not RSA"));
  }
  const Owned<EVP_MD_CTX> context(::EVP_MD_CTX_new());
  std::size_t size = 0;
  std::string signature;
  bool done =
      ::EVP_DigestSignInit(context.get(), nullptr, sha256_method(), nullptr, key.get()) == 1 &&
      ::EVP_DigestSign(context.get(), nullptr, &size, bytes_of(bytes), bytes.size()) == 1;
  signature.resize(size);
  done = done && ::EVP_DigestSign(context.get(), reinterpret_cast<unsigned char*>(signature.data()),
                                  &size, bytes_of(bytes), bytes.size()) == 1;
  if (!done) {
    return tl::unexpected(std::string("an RSA key that cannot sign"));
  }
  signature.resize(size);
  return signature;
}

}  // namespace steelyard::base
