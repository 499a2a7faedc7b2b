// A server of a platform's protocols that behaves as a profile says and keeps the truth of what it
// sent. Routes: those of the platform's voices; GET /health, /metrics (vLLM's names), /truth,
// /truth/summary; DELETE /truth begins anew.
#pragma once

#include <boost/asio/ip/tcp.hpp>
#include <deque>
#include <memory>
#include <set>
#include <string>

#include "base/secret.h"
#include "emulate/generation.h"
#include "emulate/profile.h"
#include "emulate/server_metrics.h"
#include "emulate/session.h"
#include "emulate/truth.h"
#include "emulate/voice.h"

namespace steelyard::emulate {

struct ServeOptions {
  std::string host = "127.0.0.1";
  std::uint16_t port = 0;  // 0: any free one
  base::Secret api_key;    // empty: none is asked for
  std::shared_ptr<wire::TlsContext> tls;
};

class PlatformServer {
 public:
  // Listens at once. A port in use or an address that is not ours is an environment error.
  [[nodiscard]] static base::Result<std::unique_ptr<PlatformServer>> start(
      boost::asio::io_context& loop, Profile profile, ServeOptions options);

  // "http://127.0.0.1:8000"
  [[nodiscard]] std::string url() const;
  // Takes no more connections and drops those there are.
  void stop();

 private:
  PlatformServer(boost::asio::io_context& loop, Profile profile, ServeOptions options);
  base::Status listen();
  void accept();
  void handle(const std::shared_ptr<Session>& session, const Session::Request& request);
  void handle_get(const std::shared_ptr<Session>& session, const wire::HttpHead& head,
                  std::string_view path);
  void generate(const std::shared_ptr<Session>& session, const Session::Request& request,
                const std::shared_ptr<const Voice>& voice);
  [[nodiscard]] bool authorised(const wire::HttpHead& head) const;
  void refuse(const std::shared_ptr<Session>& session, const Voice& voice, const std::string& id,
              base::Nanos received);
  void enqueue(const std::shared_ptr<Generation>& generation);
  void start_waiting();
  void ended(const std::shared_ptr<Generation>& generation);
  // When a request that starts now is begun: later, when the platform is cold.
  base::Nanos begin_time();
  void show_queue();

  boost::asio::io_context& loop_;
  Profile profile_;
  ServeOptions options_;
  std::vector<std::shared_ptr<const Voice>> voices_;  // the platform's own first
  boost::asio::ip::tcp::acceptor acceptor_;
  std::set<std::shared_ptr<Session>> sessions_;
  std::set<std::shared_ptr<wire::Connection>> connections_;
  std::deque<std::shared_ptr<Generation>> waiting_;
  std::set<std::shared_ptr<Generation>> running_;
  base::Random random_;
  std::uint64_t number_ = 0;
  base::Nanos warm_at_ = 0;  // 0: cold
  base::Nanos idle_since_ = 0;
  Truth truth_;
  ServerMetrics metrics_;
};

}  // namespace steelyard::emulate
