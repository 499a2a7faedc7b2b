// The address of an endpoint: scheme, host, port and path of an http or https URL.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/error.h"

namespace steelyard::wire {

struct Url {
  bool tls = false;
  std::string host;  // without brackets: "::1"
  std::uint16_t port = 0;
  std::string path;  // "" or "/v1"; no slash at the end

  // "host:port" for the Host header; the scheme's own port is left out.
  [[nodiscard]] std::string authority() const;
  // "https://host:port/path"
  [[nodiscard]] std::string to_text() const;
};

// "http://host[:port][/path]" or https. User names, queries and fragments are bad input: keys go
// into headers, never into an address that is printed. `where` stands in the error.
[[nodiscard]] base::Result<Url> parse_url(const std::string& where, std::string_view text);

}  // namespace steelyard::wire
