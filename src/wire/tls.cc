#include "wire/tls.h"

#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>

#include <array>

#include "base/check.h"

namespace steelyard::wire {
namespace {

std::string last_error() {
  std::array<char, 256> text{};
  const unsigned long code = ERR_peek_last_error();
  ERR_error_string_n(code, text.data(), text.size());
  const char* reason = ERR_reason_error_string(code);
  ERR_clear_error();
  return reason != nullptr ? reason : text.data();
}

base::Result<std::shared_ptr<TlsContext>> create(const SSL_METHOD* method) {
  SSL_CTX* context = SSL_CTX_new(method);
  if (context == nullptr) {
    return base::environment_error("", "OpenSSL: " + last_error());
  }
  SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION);
  return std::make_shared<TlsContext>(context);
}

// The first of ours that the client offers too; a client without any of them goes on without ALPN.
int choose_alpn(SSL* /*session*/, const unsigned char** chosen, unsigned char* length,
                const unsigned char* offered, unsigned int offered_length, void* ours) {
  const std::string& list = *static_cast<const std::string*>(ours);
  unsigned char* found = nullptr;
  const int result =
      SSL_select_next_proto(&found, length, reinterpret_cast<const unsigned char*>(list.data()),
                            static_cast<unsigned int>(list.size()), offered, offered_length);
  *chosen = found;
  return result == OPENSSL_NPN_NEGOTIATED ? SSL_TLSEXT_ERR_OK : SSL_TLSEXT_ERR_NOACK;
}

bool is_address(const std::string& host) {
  ASN1_OCTET_STRING* address = a2i_IPADDRESS(host.c_str());
  const bool found = address != nullptr;
  ASN1_OCTET_STRING_free(address);
  ERR_clear_error();
  return found;
}

}  // namespace

TlsContext::~TlsContext() { SSL_CTX_free(context_); }

base::Result<std::shared_ptr<TlsContext>> TlsContext::client(const ClientOptions& options) {
  auto made = create(TLS_client_method());
  if (!made) {
    return made;
  }
  SSL_CTX* context = (*made)->get();
  SSL_CTX_set_verify(context, options.verify ? SSL_VERIFY_PEER : SSL_VERIFY_NONE, nullptr);
  const bool loaded = options.ca_file.empty() ? SSL_CTX_set_default_verify_paths(context) == 1
                                              : SSL_CTX_load_verify_locations(
                                                    context, options.ca_file.c_str(), nullptr) == 1;
  if (!loaded) {
    return base::bad_input(options.ca_file,
                           "no certificate authority can be read from it: " + last_error(),
                           "a PEM file");
  }
  return made;
}

base::Result<std::shared_ptr<TlsContext>> TlsContext::server(const std::string& certificate_file,
                                                             const std::string& key_file,
                                                             const std::string& alpn) {
  auto made = create(TLS_server_method());
  if (!made) {
    return made;
  }
  SSL_CTX* context = (*made)->get();
  if (SSL_CTX_use_certificate_chain_file(context, certificate_file.c_str()) != 1) {
    return base::bad_input(certificate_file, "no certificate can be read from it: " + last_error(),
                           "a PEM file");
  }
  if (SSL_CTX_use_PrivateKey_file(context, key_file.c_str(), SSL_FILETYPE_PEM) != 1) {
    return base::bad_input(
        key_file, "no key for the certificate can be read from it: " + last_error(), "a PEM file");
  }
  if (!alpn.empty()) {
    (*made)->alpn_ = alpn;
    SSL_CTX_set_alpn_select_cb(context, choose_alpn, &(*made)->alpn_);
  }
  return made;
}

TlsSession::TlsSession(const TlsContext& context, const std::string& host, std::string_view alpn)
    : session_(SSL_new(context.get())),
      in_(BIO_new(BIO_s_mem())),
      out_(BIO_new(BIO_s_mem())),
      host_(host) {
  STEELYARD_CHECK(session_ != nullptr && in_ != nullptr && out_ != nullptr, "out of memory");
  SSL_set_bio(session_, in_, out_);
  if (host.empty()) {
    SSL_set_accept_state(session_);
    return;
  }
  SSL_set_connect_state(session_);
  if (!alpn.empty()) {
    SSL_set_alpn_protos(session_, reinterpret_cast<const unsigned char*>(alpn.data()),
                        static_cast<unsigned int>(alpn.size()));
  }
  if (is_address(host)) {
    X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(session_), host.c_str());
  } else {
    SSL_set_tlsext_host_name(session_, host.c_str());
    SSL_set1_host(session_, host.c_str());
  }
}

TlsSession::~TlsSession() { SSL_free(session_); }

std::string_view TlsSession::protocol() const {
  const unsigned char* name = nullptr;
  unsigned int length = 0;
  SSL_get0_alpn_selected(session_, &name, &length);
  return {reinterpret_cast<const char*>(name), length};
}

std::string TlsSession::why_failed() const {
  const long verdict = SSL_get_verify_result(session_);
  if (verdict != X509_V_OK) {
    ERR_clear_error();
    return "the certificate of '" + host_ +
           "' is not trusted: " + X509_verify_cert_error_string(verdict);
  }
  return "TLS: " + last_error();
}

base::Status TlsSession::advance() {
  if (established_) {
    return {};
  }
  const int result = SSL_do_handshake(session_);
  if (result == 1) {
    established_ = true;
    return {};
  }
  const int error = SSL_get_error(session_, result);
  if (error == SSL_ERROR_WANT_READ || error == SSL_ERROR_WANT_WRITE) {
    return {};
  }
  return base::environment_error("", why_failed());
}

base::Status TlsSession::take(std::string_view ciphertext) {
  if (!ciphertext.empty()) {
    BIO_write(in_, ciphertext.data(), static_cast<int>(ciphertext.size()));
  }
  return advance();
}

base::Result<std::size_t> TlsSession::read(char* into, std::size_t size) {
  if (!established_) {
    return 0;
  }
  std::size_t got = 0;
  if (SSL_read_ex(session_, into, size, &got) == 1) {
    return got;
  }
  const int error = SSL_get_error(session_, 0);
  if (error == SSL_ERROR_WANT_READ || error == SSL_ERROR_WANT_WRITE) {
    ERR_clear_error();
    return 0;
  }
  if (error == SSL_ERROR_ZERO_RETURN) {
    closed_ = true;
    return 0;
  }
  return base::environment_error("", why_failed());
}

base::Status TlsSession::write(std::string_view plain) {
  std::size_t written = 0;
  if (plain.empty() || SSL_write_ex(session_, plain.data(), plain.size(), &written) == 1) {
    return {};
  }
  return base::environment_error("", why_failed());
}

std::string TlsSession::output() {
  std::string ciphertext(BIO_ctrl_pending(out_), '\0');
  if (!ciphertext.empty()) {
    BIO_read(out_, ciphertext.data(), static_cast<int>(ciphertext.size()));
  }
  return ciphertext;
}

}  // namespace steelyard::wire
