// A way for requests to go out and their answers to come back, one after the other: a connection of
// HTTP/1.1, or a place on a shared one of HTTP/2.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "wire/connection.h"
#include "wire/http_reader.h"
#include "wire/socket_stamps.h"

namespace steelyard::wire {

// How an endpoint is reached.
struct Route {
  boost::asio::io_context& loop;
  Resolved address;
  std::string host;                 // verified under TLS
  std::shared_ptr<TlsContext> tls;  // null for plain TCP
  std::string tunnel_request;       // what a proxy is asked first, if any
  base::Nanos connect_timeout = 10 * base::kSecond;

  // Opens one; nothing of it is called from within.
  [[nodiscard]] std::shared_ptr<Connection> open(Connection::Handler& handler,
                                                 std::string_view alpn = {}) const;
};

class Exchange {
 public:
  // What opening took, of the first that had it opened; a shared connection tells the others
  // nothing.
  using Opening = std::optional<ConnectTimes>;
  struct Loss {
    std::string why;  // empty: the server closed
    // The server says that it took nothing of the request: it may be sent again.
    bool untaken = false;
  };
  // Called on the loop's thread, never from within a function of the exchange.
  class Handler {
   public:
    virtual ~Handler() = default;
    virtual void on_open(const Opening& opening) = 0;
    // Bytes of the answer came; what is called up to `on_read_end` is of them.
    virtual void on_read(ReadStamp stamp) = 0;
    virtual void on_body(std::string_view piece) = 0;
    // To look at `done` and `error`. Also called when the server's close ended the answer rightly.
    virtual void on_read_end() = 0;
    // No way could be opened, or what there was is lost, or the request on it.
    virtual void on_lost(const Loss& loss) = 0;
  };

  explicit Exchange(Handler& handler) : handler_(handler) {}
  virtual ~Exchange() = default;
  Exchange(const Exchange&) = delete;
  Exchange& operator=(const Exchange&) = delete;

  // Opens a way anew. Where `open` does not hold at once, `on_open` or `on_lost` follows.
  virtual void connect() = 0;
  [[nodiscard]] virtual bool open() const = 0;
  // It has carried a request before: the server may have closed it meanwhile.
  [[nodiscard]] virtual bool used() const = 0;
  // Of the open connection.
  [[nodiscard]] virtual const ConnectTimes& times() const = 0;

  // A whole message of HTTP/1.1, which stays where it is until the answer has ended. Gives the time
  // just before the write.
  virtual base::Nanos send(std::string_view message) = 0;
  // As Connection's, of the request last sent.
  [[nodiscard]] virtual std::optional<base::Nanos> sent_at() = 0;
  // Nothing more is wanted of the answer. `keep`: the way may be used again, if it is fit for it.
  virtual void end(bool keep) = 0;
  // Quietly gives the way up.
  virtual void close() = 0;

  // The answer to the request last sent.
  [[nodiscard]] virtual const HttpHead& head() const = 0;
  [[nodiscard]] virtual bool begun() const = 0;
  [[nodiscard]] virtual bool head_complete() const = 0;
  [[nodiscard]] virtual bool done() const = 0;
  // What makes it no HTTP; else "".
  [[nodiscard]] virtual std::string_view error() const = 0;

 protected:
  [[nodiscard]] Handler& handler() { return handler_; }

 private:
  Handler& handler_;
};

}  // namespace steelyard::wire
