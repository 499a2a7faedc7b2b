#include "wire/proxy.h"

namespace steelyard::wire {
namespace {

using Variables = std::map<std::string, std::string>;

base::Result<std::optional<Proxy>> found(const std::string& endpoint, const Variables& variables) {
  return proxy_for(parse_url("", endpoint).value(), [&](const std::string& name) {
    const auto at = variables.find(name);
    return at == variables.end() ? "" : at->second;
  });
}

// The proxy's address, "" for none.
std::string address(const std::string& endpoint, const Variables& variables) {
  const auto proxy = found(endpoint, variables).value();
  return proxy ? proxy->url.to_text() : "";
}

TEST(Proxy, is_chosen_by_the_endpoints_scheme_and_all_proxy_is_the_last_resort) {
  const Variables both = {{"http_proxy", "http://plain:1"}, {"https_proxy", "http://secure:2"}};
  EXPECT_EQ(address("http://host", both), "http://plain:1");
  EXPECT_EQ(address("https://host", both), "http://secure:2");
  EXPECT_EQ(address("https://host", {{"http_proxy", "http://plain:1"}}), "");
  EXPECT_EQ(address("https://host", {{"all_proxy", "http://any:3"}}), "http://any:3");
  EXPECT_EQ(address("http://host", {{"all_proxy", "http://any:3"}, {"http_proxy", "plain:1"}}),
            "http://plain:1");
  EXPECT_EQ(address("http://host", {}), "");
}

TEST(Proxy, upper_case_counts_where_lower_case_is_absent) {
  EXPECT_EQ(address("https://host", {{"HTTPS_PROXY", "http://upper:1"}}), "http://upper:1");
  EXPECT_EQ(address("https://host", {{"HTTPS_PROXY", "http://upper:1"}, {"https_proxy", "low:2"}}),
            "http://low:2");
}

TEST(Proxy, may_lack_scheme_and_port_and_name_an_ipv6_address) {
  EXPECT_EQ(address("http://host", {{"http_proxy", "squid"}}), "http://squid:1080");
  EXPECT_EQ(address("http://host", {{"http_proxy", "http://squid:3128/"}}), "http://squid:3128");
  EXPECT_EQ(address("http://host", {{"http_proxy", "[fd00::1]:3128"}}), "http://[fd00::1]:3128");
  EXPECT_EQ(address("http://host", {{"http_proxy", "[fd00::1]"}}), "http://[fd00::1]:1080");
}

TEST(Proxy, none_for_what_no_proxy_names) {
  struct Case {
    std::string no_proxy;
    std::string endpoint;
    bool excepted;
  };
  for (const Case& each : std::vector<Case>{
           {"*", "http://host", true},
           {"host", "http://host:8000", true},
           {"example.com", "http://api.example.com", true},
           {".example.com", "http://api.example.com", true},
           {"Example.COM", "http://API.example.com", true},
           {"example.com", "http://notexample.com", false},
           {"one, example.com", "http://example.com", true},
           {"one example.com", "http://example.com", true},
           {"10.1.2.3", "http://10.1.2.3", true},
           {"10.1.2.3", "http://10.1.2.4", false},
           {"10.0.0.0/8", "http://10.1.2.3", true},
           {"10.0.0.0/8", "http://11.1.2.3", false},
           {"fd00::/8", "http://[fd12::1]", true},
           {"fd00::/8", "http://10.1.2.3", false},
           {"", "http://host", false},
       }) {
    const Variables variables = {{"http_proxy", "http://squid:1"}, {"no_proxy", each.no_proxy}};
    EXPECT_EQ(address(each.endpoint, variables).empty(), each.excepted)
        << each.no_proxy << " " << each.endpoint;
  }
}

TEST(Proxy, none_for_the_loopback) {
  for (const std::string endpoint : {"http://127.0.0.1:8000", "http://localhost", "http://[::1]"}) {
    EXPECT_EQ(address(endpoint, {{"http_proxy", "http://squid:1"}}), "") << endpoint;
  }
}

TEST(Proxy, one_that_is_not_http_is_bad_input_whose_password_is_not_repeated) {
  const auto socks = found("https://host", {{"HTTPS_PROXY", "socks5://me:hunter2@squid:1"}});
  ASSERT_FALSE(socks);
  EXPECT_EQ(socks.error().where, "HTTPS_PROXY");
  EXPECT_EQ(socks.error().what, "it names a proxy that is not spoken to over http");
  const auto port = found("https://host", {{"https_proxy", "http://me:hunter2@squid:99999"}});
  ASSERT_FALSE(port);
  EXPECT_EQ(port.error().where, "https_proxy");
  EXPECT_EQ(port.error().what.find("hunter2"), std::string::npos);
}

TEST(Proxy, an_http_endpoint_is_asked_for_by_its_whole_url_and_an_https_one_through_a_tunnel) {
  const Variables variables = {{"all_proxy", "http://me:p%40ss@squid:3128"}};
  const Url plain = parse_url("", "http://host:8000/prefix").value();
  const auto proxy = found("http://host:8000/prefix", variables).value();
  EXPECT_EQ(request_target(plain, "/v1/models", proxy), "http://host:8000/prefix/v1/models");
  EXPECT_EQ(request_target(plain, "/v1/models", std::nullopt), "/prefix/v1/models");
  const Fields expected = {{"Proxy-Authorization", "Basic bWU6cEBzcw=="}};  // "me:p@ss"
  EXPECT_EQ(proxy_fields(plain, proxy), expected);
  EXPECT_EQ(tunnel_request(plain, proxy), "");
  EXPECT_EQ(way_text(proxy), " through the proxy http://squid:3128");
  EXPECT_EQ(way_text(std::nullopt), "");

  const Url secure = parse_url("", "https://host/prefix").value();
  EXPECT_EQ(request_target(secure, "/v1/models", proxy), "/prefix/v1/models");
  EXPECT_EQ(proxy_fields(secure, proxy), Fields{});
  EXPECT_EQ(tunnel_request(secure, proxy),
            "CONNECT host:443 HTTP/1.1\r\nHost: host:443\r\n"
            "Proxy-Authorization: Basic bWU6cEBzcw==\r\n\r\n");
}

}  // namespace
}  // namespace steelyard::wire
