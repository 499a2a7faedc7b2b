// Names to addresses, once before a run: its time must stand in no latency.
#pragma once

#include <boost/asio/ip/tcp.hpp>
#include <string>
#include <vector>

#include "base/error.h"
#include "wire/url.h"

namespace steelyard::wire {

struct Resolved {
  // In the resolver's order (RFC 6724), but the two families in turn, so that one of the other is
  // tried second; never empty.
  std::vector<boost::asio::ip::tcp::endpoint> endpoints;
};

// Blocks. An unknown host is an environment error that names it.
[[nodiscard]] base::Result<Resolved> resolve(const Url& url);

// The two families in turn, beginning with the first one's.
[[nodiscard]] std::vector<boost::asio::ip::tcp::endpoint> in_turn(
    const std::vector<boost::asio::ip::tcp::endpoint>& endpoints);

}  // namespace steelyard::wire
