#include "load/message.h"

#include <fmt/format.h>

#include "base/text.h"

namespace steelyard::load {
namespace {

void append_fields(const wire::Fields& fields, std::string& to) {
  for (const auto& [name, value] : fields) {
    to.append(name).append(": ").append(value).append("\r\n");
  }
}

void append_own(const Target& target, const wire::Url& url, std::string& to) {
  if (target.reuse == Reuse::kPerRequest) {
    to += "Connection: close\r\n";
  }
  append_fields(wire::proxy_fields(url, target.proxy), to);
  append_fields(fields_of(target), to);
}

// "api.replicate.com" -> "replicate.com"; a name of two labels, and an address, stay as they are.
std::string_view parent_domain(std::string_view host) {
  const std::size_t dot = host.find('.');
  const bool name = host.find_first_not_of("0123456789.:") != std::string_view::npos;
  const bool deep = dot != std::string_view::npos && host.find('.', dot + 1) != std::string::npos;
  return name && deep ? host.substr(dot + 1) : host;
}

bool may_have_the_key(const Target& target, const wire::Url& url) {
  if (url.authority() == target.url.authority() && url.tls == target.url.tls) {
    return true;
  }
  const std::string_view domain = parent_domain(target.url.host);
  return url.tls && (url.host == domain || url.host.ends_with(fmt::format(".{}", domain)));
}

}  // namespace

std::string head_of(const Target& target, bool stream) {
  std::string head = fmt::format(
      "POST {} HTTP/1.1\r\nHost: {}\r\nContent-Type: application/json\r\n"
      "Accept: {}\r\nAccept-Encoding: identity\r\nUser-Agent: steelyard\r\n",
      wire::request_target(target.url, target.path, target.proxy), target.url.authority(),
      stream ? "text/event-stream, application/json" : "application/json");
  append_own(target, target.url, head);
  return head;
}

base::Result<FollowMessage> message_of(const Target& target, const platform::FollowUp& follow_up) {
  FollowMessage follow;
  follow.url = target.url;
  follow.url.path.clear();
  std::string path = follow_up.url;
  const std::size_t scheme = path.find("://");
  if (scheme != std::string::npos) {
    const std::size_t root = path.find_first_of("/?#", scheme + 3);
    auto url = wire::parse_url(follow_up.url, path.substr(0, root));
    if (!url) {
      return tl::unexpected(url.error());
    }
    follow.url = *url;
    path = root == std::string::npos ? "/" : path.substr(root);
  }
  const bool plain =
      std::all_of(path.begin(), path.end(), [](unsigned char c) { return c > ' ' && c != 0x7F; });
  if (!path.starts_with('/') || !plain) {
    return base::bad_input(base::valid_utf8(follow_up.url), "the platform sends us to no address");
  }
  if (!may_have_the_key(target, follow.url)) {
    return base::bad_input(base::valid_utf8(follow_up.url),
                           "the platform sends us to another host, which may not have the key");
  }
  follow.same_host = follow.url.authority() == target.url.authority();
  follow.message = fmt::format(
      "{} {} HTTP/1.1\r\nHost: {}\r\nAccept: {}\r\nAccept-Encoding: identity\r\n"
      "User-Agent: steelyard\r\n",
      follow_up.method, wire::request_target(follow.url, path, target.proxy),
      follow.url.authority(), follow_up.accept);
  append_own(target, follow.url, follow.message);
  if (!follow_up.body.empty()) {
    follow.message += "Content-Type: application/json\r\n";
  }
  if (follow_up.method != "GET") {
    follow.message += fmt::format("Content-Length: {}\r\n", follow_up.body.size());
  }
  follow.message += "\r\n" + follow_up.body;
  return follow;
}

}  // namespace steelyard::load
