// Google's access token, always one that holds: asked for before anything is sent, and again in
// good time before it ends, on a thread of its own, so that no run stands still for it.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "base/error.h"
#include "base/secret.h"
#include "platform/google_token.h"
#include "wire/proxy.h"
#include "wire/tls.h"
#include "wire/url.h"

namespace steelyard::platform {

class TokenKeeper {
 public:
  // Asks nothing yet. An address of tokens that is none, or that would send a secret without TLS to
  // another machine, is bad input. `environment` names the proxy.
  [[nodiscard]] static base::Result<std::shared_ptr<TokenKeeper>> make(
      GoogleCredentials credentials, const wire::Environment& environment);
  ~TokenKeeper();
  TokenKeeper(const TokenKeeper&) = delete;
  TokenKeeper& operator=(const TokenKeeper&) = delete;

  // Asks for a token where none holds, and has it renewed from then on. Blocks; `stop` becoming
  // true ends the wait. What gives no token is bad input or an environment error.
  [[nodiscard]] base::Status begin(const std::atomic<bool>* stop = nullptr);
  // The one that holds, once begun. Where it could not be renewed, the last that there was: the
  // platform's refusal then says so.
  [[nodiscard]] base::Secret token() const;
  // How many there have been.
  [[nodiscard]] std::uint64_t edition() const { return edition_; }
  // What must never be shown.
  [[nodiscard]] std::vector<base::Secret> secrets() const;

 private:
  TokenKeeper(GoogleCredentials credentials, wire::Url url, std::shared_ptr<wire::TlsContext> tls,
              std::optional<wire::Proxy> proxy);
  base::Result<AccessToken> ask(const std::atomic<bool>* stop) const;
  void take(AccessToken token);
  void keep();

  GoogleCredentials credentials_;
  wire::Url url_;
  std::shared_ptr<wire::TlsContext> tls_;
  std::optional<wire::Proxy> proxy_;
  mutable std::mutex mutex_;  // guards what follows
  std::condition_variable ending_;
  AccessToken token_;
  base::Secret before_;       // an answer may still repeat the token that it was asked with
  base::Nanos renew_at_ = 0;  // monotonic
  bool over_ = false;
  std::atomic<std::uint64_t> edition_{0};
  std::atomic<bool> stop_{false};  // the same, for a request that is out
  std::thread thread_;
};

}  // namespace steelyard::platform
