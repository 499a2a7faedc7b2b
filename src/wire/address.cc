#include "wire/address.h"

#include <boost/asio/io_context.hpp>

namespace steelyard::wire {

base::Result<Resolved> resolve(const Url& url) {
  using boost::asio::ip::tcp;
  boost::asio::io_context context;
  tcp::resolver resolver(context);
  boost::system::error_code failed;
  const auto found = resolver.resolve(url.host, std::to_string(url.port), failed);
  if (failed || found.empty()) {
    return base::environment_error(
        url.to_text(), "the host '" + url.host + "' has no address: " + failed.message(),
        "check its spelling and the network");
  }
  Resolved resolved;
  for (const auto& entry : found) {
    resolved.endpoints.push_back(entry.endpoint());
  }
  return resolved;
}

}  // namespace steelyard::wire
