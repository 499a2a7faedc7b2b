// Requests over one connection of HTTP/1.1, one at a time (RFC 9112).
#pragma once

#include <memory>

#include "wire/exchange.h"

namespace steelyard::wire {

class Http1Exchange : public Exchange, private Connection::Handler {
 public:
  // The route outlives it.
  Http1Exchange(const Route& route, Exchange::Handler& handler);
  ~Http1Exchange() override;

  void connect() override;
  [[nodiscard]] bool open() const override { return connection_ && connection_->open(); }
  [[nodiscard]] bool used() const override { return used_; }
  [[nodiscard]] const ConnectTimes& times() const override { return connection_->times(); }

  base::Nanos send(std::string_view message) override;
  [[nodiscard]] std::optional<base::Nanos> sent_at() override { return connection_->sent_at(); }
  void end(bool keep) override;
  void close() override;

  [[nodiscard]] const HttpHead& head() const override { return reader_.head(); }
  [[nodiscard]] bool begun() const override { return reader_.begun(); }
  [[nodiscard]] bool head_complete() const override { return reader_.head_complete(); }
  [[nodiscard]] bool done() const override { return reader_.done(); }
  [[nodiscard]] std::string_view error() const override { return reader_.error(); }

 private:
  void on_open() override;
  void on_bytes(std::string_view bytes, ReadStamp stamp) override;
  void on_closed(const std::string& why) override;

  const Route& route_;
  std::shared_ptr<Connection> connection_;
  HttpReader reader_{HttpReader::Side::kResponses};
  bool asked_ = false;  // a request is out
  bool used_ = false;
};

}  // namespace steelyard::wire
