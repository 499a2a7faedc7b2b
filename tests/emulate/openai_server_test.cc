// The server over a socket, asked things that no client library would send.
#include "emulate/platform_server.h"

#include <boost/asio/io_context.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/write.hpp>
#include <nlohmann/json.hpp>

#include "base/json.h"
#include "study/emulator_host.h"
#include "wire/url.h"

namespace steelyard::emulate {
namespace {

using boost::asio::ip::tcp;
using testing::HasSubstr;
using testing::StartsWith;

class PlatformServerTest : public testing::Test {
 protected:
  static Profile instant() {
    Profile profile;
    profile.ttft = {0, 0};
    profile.itl = {0, 0};
    return profile;
  }

  // The whole answer to one request, on a connection of its own.
  std::string ask(const std::string& line, const std::string& fields, const std::string& body) {
    boost::asio::io_context loop;
    tcp::socket socket(loop);
    const auto url = wire::parse_url("", host_->url()).value();
    socket.connect(tcp::endpoint(boost::asio::ip::address_v4::loopback(),
                                 static_cast<std::uint16_t>(url.port)));
    boost::asio::write(
        socket, boost::asio::buffer(
                    fmt::format("{} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n{}Content-Length: "
                                "{}\r\n\r\n{}",
                                line, fields, body.size(), body)));
    std::string answer;
    boost::system::error_code ended;
    boost::asio::read(socket, boost::asio::dynamic_buffer(answer), ended);
    return answer;
  }
  std::string ask_chat(const std::string& body, const std::string& fields = "") {
    return ask("POST /v1/chat/completions", fields, body);
  }
  void expect_alive() { EXPECT_THAT(ask("GET /health", "", ""), StartsWith("HTTP/1.1 200 OK")); }

  std::unique_ptr<study::EmulatorHost> host_ = study::EmulatorHost::start(instant()).value();
};

std::string chat(const std::string& content, const std::string& more = "") {
  return R"({"model":"emulated-model","max_tokens":2,"messages":[{"role":"user","content":)" +
         content + "}]" + more + "}";
}

TEST_F(PlatformServerTest, a_body_nested_without_end_is_a_bad_request) {
  const std::string open(100'000, '[');
  const std::string close(100'000, ']');
  for (const std::string& body :
       {open, open + close, chat(open + close), chat("\"a\"", ",\"x\":" + open + close),
        R"({"model":"m","max_tokens":)" + open + close + "}"}) {
    const std::string answer = ask_chat(body);
    EXPECT_THAT(answer, StartsWith("HTTP/1.1 400 Bad Request"));
    EXPECT_THAT(answer, HasSubstr("the body is nested deeper than 1024 levels"));
  }
  expect_alive();
}

TEST_F(PlatformServerTest, a_long_wrong_value_is_not_echoed_whole) {
  const std::string answer = ask_chat(R"({"model":"emulated-model","messages":[1],"max_tokens":")" +
                                      std::string(9999, 'x') + "\"}");
  EXPECT_THAT(answer, HasSubstr("got \\\"xxx"));
  EXPECT_LT(answer.size(), 1000U);
}

// The id stands in every event, in the whole answer and in the truth.
TEST_F(PlatformServerTest, a_request_id_that_is_not_utf8_is_replaced) {
  for (const char* more : {"", R"(,"stream":true,"stream_options":{"include_usage":true})"}) {
    const std::string answer = ask_chat(chat("\"a\"", more), "X-Request-Id: a\xFF\xFE\r\n");
    EXPECT_THAT(answer, StartsWith("HTTP/1.1 200 OK"));
    EXPECT_THAT(answer, HasSubstr("chatcmpl-a\xEF\xBF\xBD"));
  }
  const std::string truth = ask("GET /truth", "", "");
  EXPECT_THAT(truth, HasSubstr("chatcmpl-a\xEF\xBF\xBD"));
  EXPECT_TRUE(base::parse_json(truth.substr(truth.find("\r\n\r\n") + 4)));
  expect_alive();
}

TEST_F(PlatformServerTest, other_bytes_that_are_not_utf8_end_nothing) {
  EXPECT_THAT(ask("GET /\xFF", "", ""), HasSubstr("404 Not Found"));
  EXPECT_THAT(ask_chat(chat("\"\xFF\"")), HasSubstr("the body is not JSON"));
  expect_alive();
}

}  // namespace
}  // namespace steelyard::emulate
