// The truth server over sockets.
#include "emulate/truth_server.h"

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/read_until.hpp>
#include <boost/asio/write.hpp>
#include <nlohmann/json.hpp>
#include <thread>

#include "base/json.h"
#include "emulate/fault_scripts.h"
#include "wire/http_reader.h"
#include "wire/url.h"

namespace steelyard::emulate {
namespace {

using boost::asio::ip::tcp;
using testing::EndsWith;
using testing::HasSubstr;
using testing::StartsWith;

constexpr base::Nanos kMs = base::kMillisecond;

class Running {
 public:
  explicit Running(TruthOptions options)
      : server_(TruthServer::start(std::move(options)).value()),
        thread_([this] { server_->run(); }) {}
  ~Running() {
    server_->stop();
    thread_.join();
  }
  Running(const Running&) = delete;
  Running& operator=(const Running&) = delete;
  [[nodiscard]] std::string url() const { return server_->url(); }

 private:
  std::unique_ptr<TruthServer> server_;
  std::thread thread_;
};

std::string request(const std::string& line, const std::string& body = "",
                    const std::string& fields = "") {
  return fmt::format("{} HTTP/1.1\r\nHost: x\r\n{}Content-Length: {}\r\n\r\n{}", line, fields,
                     body.size(), body);
}
std::string chat(const std::string& body) { return request("POST /v1/chat/completions", body); }
std::string streamed(int tokens) {
  return chat(fmt::format(R"({{"stream":true,"max_tokens":{}}})", tokens));
}

// One connection.
class Client {
 public:
  explicit Client(const Running& server) : socket_(loop_) {
    const auto url = wire::parse_url("", server.url()).value();
    socket_.connect(tcp::endpoint(boost::asio::ip::address_v4::loopback(),
                                  static_cast<std::uint16_t>(url.port)));
  }
  void send(const std::string& bytes) { boost::asio::write(socket_, boost::asio::buffer(bytes)); }
  // One answer: its head's status and its body.
  std::pair<int, std::string> answer() {
    wire::HttpReader reader(wire::HttpReader::Side::kResponses);
    std::string body;
    while (!reader.done()) {
      if (unread_.empty()) {
        std::array<char, 65536> buffer{};
        unread_.assign(buffer.data(), socket_.read_some(boost::asio::buffer(buffer)));
      }
      unread_.erase(0, reader.feed(unread_, [&](std::string_view piece) { body += piece; }));
    }
    return {reader.head().status, body};
  }
  std::pair<int, std::string> ask(const std::string& bytes) {
    send(bytes);
    return answer();
  }
  base::Json get(const std::string& path) {
    return base::parse_json(ask(request("GET " + path)).second).value();
  }
  // All that comes until the connection ends, and how it ends.
  std::pair<std::string, boost::system::error_code> rest() {
    std::string bytes;
    boost::system::error_code ended;
    boost::asio::read(socket_, boost::asio::dynamic_buffer(bytes), ended);
    return {bytes, ended};
  }

 private:
  boost::asio::io_context loop_;
  tcp::socket socket_;
  std::string unread_;
};

TruthOptions paced(base::Nanos ttft, base::Nanos itl) {
  TruthOptions options;
  options.ttft = ttft;
  options.itl = itl;
  return options;
}
TruthOptions instant() {
  TruthOptions options;
  options.instant = true;
  return options;
}
TruthOptions scripted(std::string_view name) {
  TruthOptions options = paced(2 * kMs, kMs);
  options.script = find_fault_script(name);
  return options;
}

TEST(TruthServer, paces_from_the_arrival_never_early_and_says_how_late) {
  const Running server(paced(30 * kMs, 5 * kMs));
  Client client(server);
  const auto [status, body] = client.ask(streamed(4));
  EXPECT_EQ(status, 200);
  EXPECT_THAT(body, StartsWith("data: {"));
  EXPECT_THAT(body, EndsWith("data: [DONE]\n\n"));
  const base::Json truth = client.get("/truth");
  const base::Json& one = truth["requests"][0];
  EXPECT_EQ(one["outcome"], "completed");
  EXPECT_EQ(one["output_tokens"], 4);
  EXPECT_GE(one["first_token_ns"].get<base::Nanos>() - one["received_ns"].get<base::Nanos>(),
            30 * kMs);
  EXPECT_GE(one["last_token_ns"].get<base::Nanos>() - one["received_ns"].get<base::Nanos>(),
            45 * kMs);
  const base::Json& summary = truth["summary"];
  EXPECT_EQ(summary["ttft_ms"]["n"], 1);
  EXPECT_EQ(summary["itl_ms"]["n"], 3);
  EXPECT_EQ(summary["lateness_ms"]["n"], 4);
}

TEST(TruthServer, paces_many_streams_at_once) {
  const Running server(paced(10 * kMs, kMs));
  std::vector<std::unique_ptr<Client>> clients;
  for (int i = 0; i < 50; ++i) {
    clients.push_back(std::make_unique<Client>(server));
    clients.back()->send(streamed(20));
  }
  for (const auto& client : clients) {
    EXPECT_EQ(client->answer().first, 200);
  }
  const base::Json summary = clients.front()->get("/truth/summary");
  EXPECT_EQ(summary["completed"], 50);
  EXPECT_EQ(summary["output_tokens"], 1000);
  EXPECT_EQ(summary["open"], 0);
}

TEST(TruthServer, writes_a_whole_answer_at_once_however_long) {
  const Running server(instant());
  Client client(server);
  for (const int tokens : {1, 100, 30'000}) {
    const auto [status, body] = client.ask(streamed(tokens));
    EXPECT_EQ(status, 200);
    EXPECT_THAT(body, EndsWith("data: [DONE]\n\n"));
    EXPECT_EQ(static_cast<int>(std::count(body.begin(), body.end(), '\n')), 2 * (tokens + 2));
  }
  EXPECT_EQ(client.get("/truth/summary")["output_tokens"], 30'101);
}

TEST(TruthServer, answers_requests_that_are_sent_ahead_in_their_order) {
  const Running server(instant());
  Client client(server);
  std::string ahead;
  for (int i = 1; i <= 300; ++i) {
    ahead += streamed(i % 3 + 1);
  }
  client.send(ahead);
  for (int i = 1; i <= 300; ++i) {
    const auto body = client.answer().second;
    ASSERT_EQ(std::count(body.begin(), body.end(), '\n'), 2 * (i % 3 + 3));
  }
}

TEST(TruthServer, answers_whole_where_no_stream_is_asked_for) {
  const Running server(paced(kMs, kMs));
  Client client(server);
  const auto [status, body] = client.ask(request("POST /v1/completions", R"({"max_tokens":3})"));
  EXPECT_EQ(status, 200);
  const base::Json json = base::parse_json(body).value();
  EXPECT_EQ(json["choices"][0]["text"], " the load on");
  EXPECT_EQ(json["usage"]["completion_tokens"], 3);
  const base::Json summary = client.get("/truth/summary");
  EXPECT_EQ(summary["ttft_ms"]["n"], 0);  // an answer without a stream has none
  EXPECT_EQ(summary["output_tokens"], 3);
}

TEST(TruthServer, takes_the_length_from_its_options_where_the_request_sets_none) {
  TruthOptions options = instant();
  options.output_tokens = 7;
  const Running server(options);
  Client client(server);
  client.ask(chat(R"({"stream":true})"));
  EXPECT_EQ(client.get("/truth/summary")["output_tokens"], 7);
}

TEST(TruthServer, refuses_in_one_line_what_it_does_not_know) {
  const Running server(instant());
  Client client(server);
  EXPECT_EQ(client.ask(request("GET /nothing")).first, 404);
  EXPECT_EQ(client.ask(request("GET /v1/completions")).first, 405);
  EXPECT_THAT(client.ask(chat("{")).second, HasSubstr("the body is not a JSON object"));
  EXPECT_EQ(client.ask(request("GET /health")).first, 200);
  EXPECT_EQ(client.get("/v1/models")["data"][0]["id"], "emulated-model");
}

TEST(TruthServer, closes_on_bytes_that_are_no_request) {
  const Running server(instant());
  for (const std::string& bytes :
       {std::string("\x16\x03\x01 a TLS hello"), std::string("GET / SPDY/9\r\n\r\n")}) {
    Client client(server);
    client.send(bytes);
    EXPECT_THAT(client.rest().first, StartsWith("HTTP/1.1 400 Bad Request"));
  }
}

TEST(TruthServer, closes_after_an_answer_to_a_client_that_asks_for_it) {
  const Running server(paced(kMs, kMs));
  Client client(server);
  client.send(request("POST /v1/chat/completions", R"({"stream":true,"max_tokens":2})",
                      "Connection: close\r\n"));
  const auto [bytes, ended] = client.rest();
  EXPECT_EQ(ended, boost::asio::error::eof);
  EXPECT_THAT(bytes, HasSubstr("Connection: close\r\n"));
  EXPECT_THAT(bytes, EndsWith("0\r\n\r\n"));
}

TEST(TruthServer, counts_a_client_that_left_as_failed) {
  const Running server(paced(kMs, 20 * kMs));
  Client observer(server);
  {
    Client leaver(server);
    leaver.send(streamed(1000));
    while (observer.get("/truth/summary")["output_tokens"] == 0) {
    }
  }
  while (observer.get("/truth/summary")["open"] != 0) {
  }
  EXPECT_EQ(observer.get("/truth/summary")["failed"], 1);
}

TEST(TruthServer, begins_anew_on_request) {
  const Running server(instant());
  Client client(server);
  client.ask(streamed(5));
  EXPECT_EQ(client.ask(request("DELETE /truth")).second, "{}");
  EXPECT_EQ(client.get("/truth/summary")["requests"], 0);
}

TEST(TruthServer, plays_a_script_piece_by_piece_with_the_truth_of_its_tokens) {
  const Running server(scripted("role-first"));
  Client client(server);
  const auto [status, body] = client.ask(streamed(100));
  EXPECT_EQ(status, 200);
  EXPECT_THAT(body, HasSubstr(R"("role":"assistant","content":"")"));
  const base::Json summary = client.get("/truth/summary");
  EXPECT_EQ(summary["output_tokens"], 2);
  EXPECT_GE(summary["ttft_ms"]["p50"].get<double>(), 3.0);  // the role came after 2 ms
}

TEST(TruthServer, ends_a_scripted_connection_as_the_script_says) {
  {
    const Running server(scripted("reset-after-40"));
    Client client(server);
    client.send(streamed(100));
    const auto [bytes, ended] = client.rest();
    EXPECT_EQ(ended, boost::asio::error::connection_reset);
    EXPECT_THAT(bytes, HasSubstr(" tok"));
  }
  {
    const Running server(scripted("closed-before-head"));
    Client client(server);
    client.send(streamed(100));
    EXPECT_EQ(client.rest().second, boost::asio::error::eof);
    EXPECT_EQ(Client(server).get("/truth")["requests"][0]["outcome"], "connection");
  }
  const Running server(scripted("rate-limited"));
  EXPECT_EQ(Client(server).ask(streamed(1)).first, 429);
}

TEST(TruthServer, says_why_it_cannot_listen) {
  TruthOptions nowhere;
  nowhere.host = "localhost.invalid";
  EXPECT_THAT(base::to_line(TruthServer::start(nowhere).error()), HasSubstr("no IP address"));
  const Running server(instant());
  TruthOptions taken;
  taken.port = static_cast<std::uint16_t>(wire::parse_url("", server.url()).value().port);
  EXPECT_THAT(base::to_line(TruthServer::start(taken).error()),
              HasSubstr("cannot listen there: Address already in use"));
}

}  // namespace
}  // namespace steelyard::emulate
