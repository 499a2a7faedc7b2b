// Requests over HTTP/2 (RFC 9113): many exchanges share a connection, each with a place of its own
// on it, so that as many connections are open as the places need.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <vector>

#include "wire/exchange.h"
#include "wire/http2_connection.h"

namespace steelyard::wire {

// The connections to one endpoint.
class Http2Pool {
 public:
  // The route outlives it. `most_streams`: requests at once on a connection, unless the server
  // allows fewer.
  Http2Pool(const Route& route, std::uint32_t most_streams)
      : route_(route), most_streams_(most_streams) {}

  // Puts it on the first connection that has room, or on a new one.
  [[nodiscard]] std::shared_ptr<Http2Connection> join(Http2Connection::Member& member);
  // What the server allows: new connections are given no more.
  void allow(std::uint32_t streams) { most_streams_ = std::min(most_streams_, streams); }

 private:
  const Route& route_;
  std::uint32_t most_streams_;
  std::vector<std::shared_ptr<Http2Connection>> connections_;
};

class Http2Exchange : public Exchange, private Http2Connection::Member {
 public:
  // The pool outlives it.
  Http2Exchange(Http2Pool& pool, Exchange::Handler& handler) : Exchange(handler), pool_(pool) {}
  ~Http2Exchange() override { close(); }

  void connect() override;
  [[nodiscard]] bool open() const override { return connection_ && connection_->usable(); }
  [[nodiscard]] bool used() const override { return connection_->used(); }
  [[nodiscard]] const ConnectTimes& times() const override { return connection_->times(); }

  base::Nanos send(std::string_view message) override { return connection_->send(message, *this); }
  [[nodiscard]] std::optional<base::Nanos> sent_at() override;
  void end(bool keep) override;
  void close() override;

  [[nodiscard]] const HttpHead& head() const override { return Http2Stream::head; }
  [[nodiscard]] bool begun() const override { return Http2Stream::begun; }
  [[nodiscard]] bool head_complete() const override { return Http2Stream::head_complete; }
  [[nodiscard]] bool done() const override { return Http2Stream::done; }
  [[nodiscard]] std::string_view error() const override { return {}; }

 private:
  void on_ready(const Opening& opening) override { handler().on_open(opening); }
  void on_no_room(std::uint32_t room) override;
  void on_read(ReadStamp stamp) override { handler().on_read(stamp); }
  void on_piece(std::string_view body) override { handler().on_body(body); }
  void on_read_end() override;
  void on_gone(const std::string& why) override;

  Http2Pool& pool_;
  std::shared_ptr<Http2Connection> connection_;
};

}  // namespace steelyard::wire
