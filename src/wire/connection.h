// One TCP connection, plain or TLS, of a client or a server, on its loop's thread. Reads carry the
// kernel's receive stamp, so that a late reader does not make a late token.
#pragma once

#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/error.h"
#include "wire/address.h"
#include "wire/http_reader.h"
#include "wire/poller.h"
#include "wire/socket_stamps.h"
#include "wire/tls.h"

namespace steelyard::wire {

class Dialer;

// What opening took, apart from finding the address.
struct ConnectTimes {
  // All addresses that were tried, and a proxy's opening of the way.
  base::Nanos tcp = 0;
  std::optional<base::Nanos> tls;  // absent for plain TCP
};

class Connection : public Poller::Watched, public std::enable_shared_from_this<Connection> {
 public:
  // Called on the loop's thread, never from within a call of the connection's own functions except
  // where said. After `on_closed` nothing more is called.
  class Handler {
   public:
    virtual ~Handler() = default;
    virtual void on_open() {}  // connected, and TLS established
    virtual void on_bytes(std::string_view bytes, ReadStamp stamp) = 0;
    // The peer closed (`why` empty) or something failed.
    virtual void on_closed(const std::string& why) = 0;
  };

  // `tls` null for plain TCP; `alpn` is what a client offers under it.
  Connection(boost::asio::io_context& loop, std::shared_ptr<TlsContext> tls,
             std::string_view alpn = {});
  ~Connection() override;
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  // Client: to the first endpoint that answers (dialer.h); open within `timeout`. `host` is
  // verified under TLS. `tunnel_request` is what a proxy is asked first, if any (proxy.h).
  void connect(const Resolved& to, const std::string& host, base::Nanos timeout,
               const std::string& tunnel_request = "");
  // Server: takes an accepted socket over.
  void accept(boost::asio::ip::tcp::socket socket);

  void set_handler(Handler* handler) { handler_ = handler; }

  // Writes what the socket takes at once and queues the rest; gives the time just before the
  // write. `stamped`: `sent_at` is wanted.
  base::Nanos send(std::string_view bytes, bool stamped = false);
  // When the first byte of the last stamped send left this machine, as its kernel says, which may
  // be after a preempted client's own time; absent while (or where) it does not.
  [[nodiscard]] std::optional<base::Nanos> sent_at();
  // Quietly: the handler is not called.
  void close();
  // The same once everything queued has left.
  void close_when_sent();
  [[nodiscard]] bool open() const { return open_; }
  // Of a client's connection, once it is open.
  [[nodiscard]] const ConnectTimes& times() const { return times_; }
  // What ALPN settled on, once it is open; "" without TLS too.
  [[nodiscard]] std::string_view protocol() const {
    return session_ ? session_->protocol() : std::string_view{};
  }

 private:
  void start(boost::asio::ip::tcp::socket socket);
  void secure();
  void take_tunnel(std::string_view bytes);
  void on_ready(Poller::Ready ready) override;
  void read(bool to_the_end);
  void take(std::string_view bytes, ReadStamp stamp);
  void take_tls(std::string_view bytes, ReadStamp stamp);
  void flush_tls();
  void send_raw(std::string_view bytes);
  void send_queued();
  void fail(const std::string& why);
  void opened();

  boost::asio::io_context& loop_;
  Poller& poller_;
  int socket_ = -1;  // from `start` to `close`
  boost::asio::steady_timer timer_;
  std::shared_ptr<TlsContext> tls_;
  std::string alpn_;
  std::optional<TlsSession> session_;
  Handler* handler_ = nullptr;
  std::shared_ptr<Dialer> dialer_;  // while it connects; its own handlers hold it too
  std::string host_;
  std::string tunnel_request_;
  std::optional<HttpReader> tunnel_;  // until the proxy has opened the way
  base::Nanos began_at_ = 0;
  base::Nanos connected_at_ = 0;
  ConnectTimes times_;
  SocketStamps stamps_;
  bool stamp_next_ = false;
  std::string queue_;
  bool closing_ = false;
  bool open_ = false;
  bool closed_ = false;
};

}  // namespace steelyard::wire
