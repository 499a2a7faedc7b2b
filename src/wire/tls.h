// TLS over bytes, not sockets (OpenSSL with memory BIOs), so that the socket's reads keep their
// kernel stamps. TLS 1.2 and 1.3; the peer's certificate and name are verified unless told not to.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "base/error.h"

using SSL_CTX = struct ssl_ctx_st;
using SSL = struct ssl_st;
using BIO = struct bio_st;

namespace steelyard::wire {

// Settings shared by every connection to one endpoint; making one is slow, so make it once.
class TlsContext {
 public:
  struct ClientOptions {
    bool verify = true;
    std::string ca_file;  // PEM; empty: the system's
  };
  [[nodiscard]] static base::Result<std::shared_ptr<TlsContext>> client(
      const ClientOptions& options);
  // PEM files. `alpn`: the protocols it speaks, the first that a client offers too is taken.
  [[nodiscard]] static base::Result<std::shared_ptr<TlsContext>> server(
      const std::string& certificate_file, const std::string& key_file,
      const std::string& alpn = "");

  explicit TlsContext(SSL_CTX* context) : context_(context) {}
  ~TlsContext();
  TlsContext(const TlsContext&) = delete;
  TlsContext& operator=(const TlsContext&) = delete;
  [[nodiscard]] SSL_CTX* get() const { return context_; }

 private:
  SSL_CTX* context_;
  std::string alpn_;  // of a server
};

// Lists of protocols as ALPN has them (RFC 7301, section 3.1): each behind its length.
inline constexpr std::string_view kAlpnHttp2{"\x02h2"};
inline constexpr std::string_view kAlpnEither{"\x02h2\x08http/1.1"};

class TlsSession {
 public:
  // `host` is verified against the certificate and sent as SNI; empty makes the server side.
  // `alpn`: the protocols that a client offers; empty: it leaves the matter open.
  TlsSession(const TlsContext& context, const std::string& host, std::string_view alpn = {});
  ~TlsSession();
  TlsSession(const TlsSession&) = delete;
  TlsSession& operator=(const TlsSession&) = delete;

  // Takes ciphertext and goes on with the handshake. An error says what the peer did wrong.
  [[nodiscard]] base::Status take(std::string_view ciphertext);
  // Decrypted bytes, as many as fit; 0 when there are none now.
  [[nodiscard]] base::Result<std::size_t> read(char* into, std::size_t size);
  // Encrypts; only after `established`.
  [[nodiscard]] base::Status write(std::string_view plain);
  // Ciphertext for the peer, taken out of the session.
  [[nodiscard]] std::string output();
  [[nodiscard]] bool established() const { return established_; }
  // What both sides settled on by ALPN, "h2" for example; "" where they did not.
  [[nodiscard]] std::string_view protocol() const;
  // The peer said that nothing follows.
  [[nodiscard]] bool closed() const { return closed_; }

 private:
  [[nodiscard]] base::Status advance();
  [[nodiscard]] std::string why_failed() const;

  SSL* session_;
  BIO* in_;   // owned by the session
  BIO* out_;  // owned by the session
  std::string host_;
  bool established_ = false;
  bool closed_ = false;
};

}  // namespace steelyard::wire
