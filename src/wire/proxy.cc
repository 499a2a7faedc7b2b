#include "wire/proxy.h"

#include <fmt/format.h>

#include <boost/asio/ip/address.hpp>
#include <boost/asio/ip/network_v4.hpp>
#include <boost/asio/ip/network_v6.hpp>
#include <cctype>
#include <cstdlib>

#include "base/encoding.h"
#include "base/text.h"

namespace steelyard::wire {
namespace {

using boost::asio::ip::address;
using boost::system::error_code;

constexpr std::string_view kUsualPort = ":1080";  // curl's, where the variable names none

struct Variable {
  std::string name;
  std::string value;
};

// In lower case first, as curl has it.
std::optional<Variable> variable(const Environment& environment, const std::string& name) {
  std::string upper = name;
  std::ranges::transform(upper, upper.begin(),
                         [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  for (const std::string& each : {name, upper}) {
    const std::string value(base::trim(environment(each)));
    if (!value.empty()) {
      return Variable{each, value};
    }
  }
  return std::nullopt;
}

std::optional<address> address_of(const std::string& host) {
  error_code failed;
  const address found = boost::asio::ip::make_address(host, failed);
  return failed ? std::nullopt : std::optional(found);
}

bool is_loopback(const std::string& host) {
  const auto numeric = address_of(host);
  return numeric ? numeric->is_loopback() : host == "localhost" || host.ends_with(".localhost");
}

// "10.0.0.0/8" or "fd00::/8" holds the address.
bool in_network(const address& host, const std::string& network) {
  error_code failed;
  if (host.is_v4()) {
    const auto whole = boost::asio::ip::make_network_v4(network, failed);
    return !failed && boost::asio::ip::network_v4(host.to_v4(), whole.prefix_length()).network() ==
                          whole.network();
  }
  const auto whole = boost::asio::ip::make_network_v6(network, failed);
  return !failed && boost::asio::ip::network_v6(host.to_v6(), whole.prefix_length()).network() ==
                        whole.network();
}

bool excepts(std::string_view entry, const std::string& host) {
  if (entry == "*") {
    return true;
  }
  if (const auto numeric = address_of(host)) {
    const std::string text(entry);
    return text.find('/') != std::string::npos ? in_network(*numeric, text)
                                               : address_of(text) == numeric;
  }
  entry.remove_prefix(entry.starts_with('.') ? 1 : 0);
  const std::string name = base::lower(entry);
  return !name.empty() && (host == name || host.ends_with("." + name));
}

bool excepted(const Environment& environment, const std::string& host) {
  const auto given = variable(environment, "no_proxy");
  if (!given) {
    return false;
  }
  std::string entries = given->value;
  std::ranges::replace(entries, ' ', ',');
  return std::ranges::any_of(base::split(entries, ','), [&](std::string_view entry) {
    return excepts(base::trim(entry), host);
  });
}

base::Secret basic(std::string_view user) {
  const std::string plain = base::percent_decode(user);
  return base::Secret("Basic " +
                      base::base64(plain.find(':') == std::string::npos ? plain + ":" : plain));
}

// The value may hold a password: no error repeats it.
base::Result<std::optional<Proxy>> parse_proxy(const Variable& given) {
  const std::string text = given.value;
  std::string_view rest = text;
  const std::size_t scheme = rest.find("://");
  if (scheme != std::string_view::npos) {
    if (base::lower(rest.substr(0, scheme)) != "http") {
      return base::bad_input(given.name, "it names a proxy that is not spoken to over http",
                             "http://host:port, or --no-proxy to do without");
    }
    rest.remove_prefix(scheme + 3);
  }
  rest = rest.substr(0, rest.find('/'));
  Proxy proxy;
  if (const std::size_t at = rest.rfind('@'); at != std::string_view::npos) {
    proxy.authorization = basic(rest.substr(0, at));
    rest.remove_prefix(at + 1);
  }
  const bool has_port =
      rest.rfind(':') != std::string_view::npos &&
      (rest.find(']') == std::string_view::npos || rest.rfind(':') > rest.find(']'));
  auto url = parse_url(given.name, fmt::format("http://{}{}", rest, has_port ? "" : kUsualPort));
  if (!url) {
    return tl::unexpected(url.error());
  }
  proxy.url = std::move(*url);
  return std::optional(std::move(proxy));
}

// "host:port", the port always: a tunnel has no scheme whose port could be meant.
std::string full_authority(const Url& url) {
  const bool six = url.host.find(':') != std::string::npos;
  return fmt::format(fmt::runtime(six ? "[{}]:{}" : "{}:{}"), url.host, url.port);
}

}  // namespace

Environment process_environment() {
  return [](const std::string& name) {
    const char* value = std::getenv(name.c_str());
    return std::string(value != nullptr ? value : "");
  };
}

base::Result<std::optional<Proxy>> proxy_for(const Url& endpoint, const Environment& environment) {
  const std::string host = base::lower(endpoint.host);
  if (is_loopback(host) || excepted(environment, host)) {
    return std::optional<Proxy>();
  }
  auto given = variable(environment, endpoint.tls ? "https_proxy" : "http_proxy");
  if (!given) {
    given = variable(environment, "all_proxy");
  }
  return given ? parse_proxy(*given) : std::optional<Proxy>();
}

base::Result<Resolved> resolve(const Url& endpoint, const std::optional<Proxy>& proxy) {
  return resolve(proxy ? proxy->url : endpoint);
}

std::string request_target(const Url& endpoint, const std::string& path,
                           const std::optional<Proxy>& proxy) {
  const bool absolute = proxy && !endpoint.tls;
  return (absolute ? "http://" + endpoint.authority() : "") + endpoint.path + path;
}

Fields proxy_fields(const Url& endpoint, const std::optional<Proxy>& proxy) {
  if (!proxy || endpoint.tls || proxy->authorization.empty()) {
    return {};
  }
  return {{"Proxy-Authorization", proxy->authorization.reveal()}};
}

std::string tunnel_request(const Url& endpoint, const std::optional<Proxy>& proxy) {
  if (!proxy || !endpoint.tls) {
    return "";
  }
  const std::string to = full_authority(endpoint);
  std::string request = fmt::format("CONNECT {} HTTP/1.1\r\nHost: {}\r\n", to, to);
  if (!proxy->authorization.empty()) {
    request += "Proxy-Authorization: " + proxy->authorization.reveal() + "\r\n";
  }
  return request + "\r\n";
}

std::string way_text(const std::optional<Proxy>& proxy) {
  return proxy ? " through the proxy " + proxy->url.to_text() : "";
}

}  // namespace steelyard::wire
