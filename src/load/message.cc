#include "load/message.h"

#include <fmt/format.h>

#include "base/text.h"

namespace steelyard::load {
namespace {

constexpr std::string_view kJson = "application/json";

void append_own(const Target& target, const wire::Url& url, std::string& to) {
  if (target.reuse == Reuse::kPerRequest) {
    to += "Connection: close\r\n";
  }
  append_fields(wire::proxy_fields(url, target.proxy), to);
  append_fields(target.fields, to);
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

// What a signature covers, beside the request line: no proxy changes these. AWS wants its own
// fields among them.
wire::Fields signed_fields(const Target& target, const wire::Url& url, bool has_body) {
  wire::Fields fields;
  if (has_body) {
    fields.emplace_back("content-type", kJson);
  }
  fields.emplace_back("host", url.authority());
  for (const auto& [name, value] : target.fields) {
    if (base::lower(name).starts_with("x-amz-")) {
      fields.emplace_back(name, value);
    }
  }
  return fields;
}

}  // namespace

void append_fields(const wire::Fields& fields, std::string& to) {
  for (const auto& [name, value] : fields) {
    to.append(name).append(": ").append(value).append("\r\n");
  }
}

wire::Fields auth_fields(const Target& target, platform::Authorizer& authorizer,
                         const wire::Url& url, const Asked& asked) {
  const std::string where = url.path + std::string(asked.path);
  const wire::Fields fields = signed_fields(target, url, !asked.body.empty());
  return authorizer.fields({asked.method, where, fields, asked.body}, base::wall_now());
}

base::Result<wire::Fields> fields_beside(const Target& target, const Asked& asked,
                                         const std::atomic<bool>* stop) {
  platform::Authorizer authorizer(target.auth);
  return authorizer.begin(stop).map([&] {
    wire::Fields fields = target.fields;
    for (auto& field : auth_fields(target, authorizer, target.url, asked)) {
      fields.push_back(std::move(field));
    }
    return fields;
  });
}

std::string head_of(const Target& target, platform::Authorizer& authorizer, bool stream) {
  std::string head = fmt::format(
      "POST {} HTTP/1.1\r\nHost: {}\r\nContent-Type: {}\r\n"
      "Accept: {}\r\nAccept-Encoding: identity\r\nUser-Agent: steelyard\r\n",
      wire::request_target(target.url, target.path, target.proxy), target.url.authority(), kJson,
      stream ? "text/event-stream, application/json" : kJson);
  append_own(target, target.url, head);
  if (!authorizer.each_request()) {
    append_fields(auth_fields(target, authorizer, target.url, {"POST", target.path, ""}), head);
  }
  return head;
}

base::Result<FollowMessage> message_of(const Target& target, platform::Authorizer& authorizer,
                                       const platform::FollowUp& follow_up) {
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
  append_fields(
      auth_fields(target, authorizer, follow.url, {follow_up.method, path, follow_up.body}),
      follow.message);
  if (!follow_up.body.empty()) {
    follow.message += fmt::format("Content-Type: {}\r\n", kJson);
  }
  if (follow_up.method != "GET") {
    follow.message += fmt::format("Content-Length: {}\r\n", follow_up.body.size());
  }
  follow.message += "\r\n" + follow_up.body;
  return follow;
}

}  // namespace steelyard::load
