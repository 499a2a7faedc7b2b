#include "wire/url.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>

#include "base/text.h"

namespace steelyard::wire {
namespace {

constexpr std::uint16_t kHttpPort = 80;
constexpr std::uint16_t kHttpsPort = 443;
constexpr std::string_view kRight = "for example http://127.0.0.1:8000 or https://host/prefix";

bool take(std::string_view& text, std::string_view prefix) {
  if (base::lower(text.substr(0, prefix.size())) != prefix) {
    return false;
  }
  text.remove_prefix(prefix.size());
  return true;
}

std::optional<std::uint16_t> port_of(std::string_view text) {
  std::uint16_t port = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), port);
  const bool whole = error == std::errc{} && end == text.data() + text.size();
  return whole && port > 0 ? std::optional(port) : std::nullopt;
}

// Characters that end a host or a header line, or that no host has.
bool plain(std::string_view text) {
  return std::ranges::all_of(text, [](unsigned char c) { return c > ' ' && c < 0x7F; });
}

// A mistyped address may hold a password or a key: then it is not repeated.
std::string shown(std::string_view text) {
  return text.find_first_of("@?") == std::string_view::npos ? fmt::format("'{}'", text)
                                                            : "the address";
}

struct Parts {
  std::string_view host;
  std::string_view port;  // empty when there is none
  bool well_formed = true;
};

Parts split_authority(std::string_view authority) {
  if (authority.starts_with('[')) {
    const std::size_t end = authority.find(']');
    if (end == std::string_view::npos) {
      return {{}, {}, false};
    }
    const std::string_view rest = authority.substr(end + 1);
    return {authority.substr(1, end - 1), rest.empty() ? rest : rest.substr(1),
            rest.empty() || (rest.front() == ':' && rest.size() > 1)};
  }
  const std::size_t colon = authority.find(':');
  if (colon == std::string_view::npos) {
    return {authority, {}, true};
  }
  return {authority.substr(0, colon), authority.substr(colon + 1), colon + 1 < authority.size()};
}

}  // namespace

std::string Url::authority() const {
  const std::string name = host.find(':') == std::string::npos ? host : "[" + host + "]";
  const bool usual = port == (tls ? kHttpsPort : kHttpPort);
  return usual ? name : fmt::format("{}:{}", name, port);
}

std::string Url::to_text() const { return (tls ? "https://" : "http://") + authority() + path; }

base::Result<Url> parse_url(const std::string& where, std::string_view text) {
  const auto wrong = [&](std::string what) {
    return base::bad_input(where, std::move(what), std::string(kRight));
  };
  std::string_view rest = base::trim(text);
  Url url;
  url.tls = take(rest, "https://");
  if (!url.tls && !take(rest, "http://")) {
    return wrong(shown(text) + " is no http or https URL");
  }
  if (rest.find_first_of("?#") != std::string_view::npos) {
    return wrong("a query or fragment has no place in a base URL");
  }
  const std::size_t slash = rest.find('/');
  const Parts parts = split_authority(rest.substr(0, slash));
  if (rest.substr(0, slash).find('@') != std::string_view::npos) {
    return wrong("a user name or password has no place in a URL; give a key with --api-key");
  }
  if (parts.host.empty() || !parts.well_formed || !plain(rest)) {
    return wrong(shown(text) + " has no well-formed host");
  }
  url.host = std::string(parts.host);
  url.port = url.tls ? kHttpsPort : kHttpPort;
  if (!parts.port.empty()) {
    const auto port = port_of(parts.port);
    if (!port) {
      return wrong(fmt::format("'{}' is no port", parts.port));
    }
    url.port = *port;
  }
  if (slash != std::string_view::npos) {
    url.path = std::string(rest.substr(slash));
    url.path.erase(url.path.find_last_not_of('/') + 1);
  }
  return url;
}

}  // namespace steelyard::wire
