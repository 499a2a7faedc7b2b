// One connection of HTTP/2 that several exchanges share.
#pragma once

#include <boost/asio/steady_timer.hpp>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "wire/exchange.h"
#include "wire/http2_session.h"

namespace steelyard::wire {

class Http2Connection : public std::enable_shared_from_this<Http2Connection>,
                        private Connection::Handler {
 public:
  // One of those that share it, with at most one request out. Called on the loop's thread, never
  // from within a function of the connection.
  class Member : public Http2Stream {
   public:
    virtual void on_ready(const Exchange::Opening& opening) = 0;
    // The server allows no more than `room` streams at once: this one has been let go.
    virtual void on_no_room(std::uint32_t room) = 0;
    virtual void on_read(ReadStamp stamp) = 0;
    virtual void on_read_end() = 0;
    // The connection is gone, and this one has been let go.
    virtual void on_gone(const std::string& why) = 0;

   private:
    friend class Http2Connection;
    void on_answer() final;
    void on_reset() final;

    Http2Connection* joined_ = nullptr;
    bool touched_ = false;  // by the bytes at hand
    bool read_ = false;     // `on_read` was called for them
  };

  // `most`: members at once, unless the server allows fewer.
  Http2Connection(const Route& route, std::uint32_t most);
  ~Http2Connection() override;

  // To be called once.
  void start();

  void join(Member& member);
  // Drops what it has out; the last one's leaving closes the connection.
  void leave(Member& member);

  // May be joined.
  [[nodiscard]] bool has_room() const;
  // A member may send.
  [[nodiscard]] bool usable() const;
  [[nodiscard]] bool used() const { return used_; }
  [[nodiscard]] bool gone() const { return gone_; }
  [[nodiscard]] const ConnectTimes& times() const { return connection_->times(); }

  base::Nanos send(std::string_view message, Member& member);
  // As Connection's; absent too once another member has sent.
  [[nodiscard]] std::optional<base::Nanos> sent_at(const Member& member);
  // Nothing more is wanted of its answer.
  void cancel(Member& member);

 private:
  void on_open() override;
  void on_bytes(std::string_view bytes, ReadStamp stamp) override;
  void on_closed(const std::string& why) override;

  void touch(Member& member);
  void became_ready();
  void tell_touched();
  void flush();
  void fail(const std::string& why);
  [[nodiscard]] std::uint32_t most() const;

  const Route& route_;
  boost::asio::steady_timer timer_;  // from the start to the server's settings
  std::shared_ptr<Connection> connection_;
  Http2Session session_;
  std::uint32_t most_;
  std::vector<Member*> members_;
  std::vector<Member*> touched_;
  std::vector<Member*> telling_;
  const Member* stamped_ = nullptr;  // whose send bears the stamp
  ReadStamp stamp_;
  bool used_ = false;
  bool gone_ = false;
};

}  // namespace steelyard::wire
