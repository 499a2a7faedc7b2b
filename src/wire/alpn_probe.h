// Whether a server speaks HTTP/2, asked by ALPN (RFC 7301) on a connection for that alone.
#pragma once

#include <memory>
#include <string>

#include "wire/exchange.h"

namespace steelyard::wire {

class AlpnProbe : private Connection::Handler {
 public:
  // The route outlives it. The answer comes while its loop runs.
  explicit AlpnProbe(const Route& route);
  ~AlpnProbe() override;

  [[nodiscard]] bool over() const { return over_; }
  [[nodiscard]] bool http2() const { return http2_; }
  // Why no connection opened, once it is over; else "".
  [[nodiscard]] const std::string& failure() const { return failure_; }

 private:
  void on_open() override;
  void on_bytes(std::string_view /*bytes*/, ReadStamp /*stamp*/) override {}
  void on_closed(const std::string& why) override;

  std::shared_ptr<Connection> connection_;
  bool over_ = false;
  bool http2_ = false;
  std::string failure_;
};

}  // namespace steelyard::wire
