// The HTTP proxy between this machine and an endpoint, named as curl has it named: by the
// environment. An https endpoint is reached through a tunnel (CONNECT, RFC 9110, section 9.3.6),
// an http one by the absolute form of its URL (RFC 9112, section 3.2.2).
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "base/error.h"
#include "base/secret.h"
#include "wire/address.h"
#include "wire/http_reader.h"
#include "wire/url.h"

namespace steelyard::wire {

struct Proxy {
  Url url;                     // without the user's name and password
  base::Secret authorization;  // the value of Proxy-Authorization; empty where no user is named
};

// The value of a variable of the environment; "" where it is not set.
using Environment = std::function<std::string(const std::string& name)>;
[[nodiscard]] Environment process_environment();

// http_proxy or https_proxy by the endpoint's scheme, else all_proxy, each also in upper case; none
// for the loopback and for what no_proxy names ("*", hosts with all below them, addresses,
// networks such as 10.0.0.0/8). One that is not http is bad input, named by its variable.
[[nodiscard]] base::Result<std::optional<Proxy>> proxy_for(const Url& endpoint,
                                                           const Environment& environment);

// The address to connect to: the proxy's, where there is one. Blocks, as resolve() does.
[[nodiscard]] base::Result<Resolved> resolve(const Url& endpoint,
                                             const std::optional<Proxy>& proxy);
// What a request line says of `path`, which is put after the URL's own.
[[nodiscard]] std::string request_target(const Url& endpoint, const std::string& path,
                                         const std::optional<Proxy>& proxy);
// What goes into the head of every request on its account.
[[nodiscard]] Fields proxy_fields(const Url& endpoint, const std::optional<Proxy>& proxy);
// What opens a tunnel; "" where none is needed.
[[nodiscard]] std::string tunnel_request(const Url& endpoint, const std::optional<Proxy>& proxy);
// " through the proxy http://proxy:3128", to stand after an endpoint's URL; "" without one.
[[nodiscard]] std::string way_text(const std::optional<Proxy>& proxy);

}  // namespace steelyard::wire
