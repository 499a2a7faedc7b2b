#include "test_certificate.h"

#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>
#include <stdlib.h>

#include <cstdio>
#include <memory>

namespace steelyard::wire {
namespace {

constexpr long kDay = 24L * 60 * 60;

template <typename Write>
void write_file(const std::string& path, Write&& write) {
  std::FILE* file = std::fopen(path.c_str(), "w");
  if (file == nullptr || write(file) != 1) {
    std::abort();
  }
  std::fclose(file);
}

}  // namespace

TestCertificate::TestCertificate(const std::string& names) {
  std::string pattern = (std::filesystem::temp_directory_path() / "steelyard-tls-XXXXXX").string();
  folder_ = mkdtemp(pattern.data());
  const std::unique_ptr<EVP_PKEY, decltype(&EVP_PKEY_free)> key(EVP_EC_gen("P-256"), EVP_PKEY_free);
  const std::unique_ptr<X509, decltype(&X509_free)> made(X509_new(), X509_free);
  X509_set_version(made.get(), X509_VERSION_3);
  ASN1_INTEGER_set(X509_get_serialNumber(made.get()), 1);
  X509_gmtime_adj(X509_getm_notBefore(made.get()), -kDay);
  X509_gmtime_adj(X509_getm_notAfter(made.get()), kDay);
  X509_set_pubkey(made.get(), key.get());
  X509_NAME* name = X509_get_subject_name(made.get());
  X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_ASC,
                             reinterpret_cast<const unsigned char*>("steelyard test"), -1, -1, 0);
  X509_set_issuer_name(made.get(), name);
  const std::unique_ptr<X509_EXTENSION, decltype(&X509_EXTENSION_free)> alternatives(
      X509V3_EXT_conf_nid(nullptr, nullptr, NID_subject_alt_name, names.c_str()),
      X509_EXTENSION_free);
  X509_add_ext(made.get(), alternatives.get(), -1);
  X509_sign(made.get(), key.get(), EVP_sha256());
  write_file(key_file(), [&](std::FILE* file) {
    return PEM_write_PrivateKey(file, key.get(), nullptr, nullptr, 0, nullptr, nullptr);
  });
  write_file(certificate_file(), [&](std::FILE* file) { return PEM_write_X509(file, made.get()); });
}

TestCertificate::~TestCertificate() { std::filesystem::remove_all(folder_); }

}  // namespace steelyard::wire
