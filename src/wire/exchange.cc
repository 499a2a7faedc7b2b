#include "wire/exchange.h"

namespace steelyard::wire {

std::shared_ptr<Connection> Route::open(Connection::Handler& handler, std::string_view alpn) const {
  auto connection = std::make_shared<Connection>(loop, tls, alpn);
  connection->set_handler(&handler);
  connection->connect(address, host, connect_timeout, tunnel_request);
  return connection;
}

}  // namespace steelyard::wire
