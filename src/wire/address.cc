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
  std::vector<tcp::endpoint> endpoints;
  for (const auto& entry : found) {
    endpoints.push_back(entry.endpoint());
  }
  return Resolved{in_turn(endpoints)};
}

std::vector<boost::asio::ip::tcp::endpoint> in_turn(
    const std::vector<boost::asio::ip::tcp::endpoint>& endpoints) {
  using boost::asio::ip::tcp;
  std::vector<tcp::endpoint> first;
  std::vector<tcp::endpoint> second;
  for (const tcp::endpoint& each : endpoints) {
    (each.protocol() == endpoints.front().protocol() ? first : second).push_back(each);
  }
  std::vector<tcp::endpoint> mixed;
  for (std::size_t i = 0; i < std::max(first.size(), second.size()); ++i) {
    for (const auto* family : {&first, &second}) {
      if (i < family->size()) {
        mixed.push_back((*family)[i]);
      }
    }
  }
  return mixed;
}

}  // namespace steelyard::wire
