// Names to addresses, once before a run: its time must stand in no latency.
#pragma once

#include <boost/asio/ip/tcp.hpp>
#include <string>
#include <vector>

#include "base/error.h"
#include "wire/url.h"

namespace steelyard::wire {

struct Resolved {
  std::vector<boost::asio::ip::tcp::endpoint> endpoints;  // in the resolver's order; never empty
};

// Blocks. An unknown host is an environment error that names it.
[[nodiscard]] base::Result<Resolved> resolve(const Url& url);

}  // namespace steelyard::wire
