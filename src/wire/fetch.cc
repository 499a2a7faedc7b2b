#include "wire/fetch.h"

#include <fmt/format.h>

#include <boost/asio/io_context.hpp>

#include "wire/address.h"
#include "wire/connection.h"
#include "wire/http_reader.h"

namespace steelyard::wire {
namespace {

constexpr std::size_t kLongestBody = 64U << 20U;

class Fetch : public Connection::Handler {
 public:
  Fetch(Connection& connection, std::string request)
      : connection_(connection), request_(std::move(request)) {}

  void on_open() override { connection_.send(request_); }

  void on_bytes(std::string_view bytes, ReadStamp /*stamp*/) override {
    ++reads_;
    reader_.feed(bytes, [&](std::string_view piece) {
      body_ += piece.substr(0, kLongestBody - body_.size());
    });
    if (reader_.done() || !reader_.error().empty()) {
      failure_ = reader_.error();
      connection_.close();
      over_ = true;
    }
  }

  void on_closed(const std::string& why) override {
    if (!reader_.finish()) {
      failure_ = why.empty() ? "the server closed the connection" : why;
    }
    over_ = true;
  }

  [[nodiscard]] bool over() const { return over_; }
  [[nodiscard]] const std::string& failure() const { return failure_; }
  [[nodiscard]] Fetched result() && {
    return {reader_.head().status, std::move(body_), reader_.head(), reads_};
  }

 private:
  Connection& connection_;
  std::string request_;
  HttpReader reader_{HttpReader::Side::kResponses};
  std::string body_;
  std::string failure_;
  std::int64_t reads_ = 0;
  bool over_ = false;
};

std::string message_of(const Url& url, const FetchRequest& request,
                       const std::optional<Proxy>& proxy) {
  std::string message = fmt::format(
      "{} {} HTTP/1.1\r\nHost: {}\r\nAccept-Encoding: identity\r\nUser-Agent: steelyard\r\n"
      "Connection: close\r\n",
      request.method, request_target(url, request.path, proxy), url.authority());
  for (const Fields& some : {proxy_fields(url, proxy), request.fields}) {
    for (const auto& [name, value] : some) {
      message.append(name).append(": ").append(value).append("\r\n");
    }
  }
  if (request.method != "GET") {
    message += fmt::format("Content-Length: {}\r\n", request.body.size());
  }
  return message + "\r\n" + request.body;
}

}  // namespace

base::Result<Fetched> fetch(const Url& url, const FetchRequest& request,
                            const FetchOptions& options) {
  const auto address = resolve(url, options.proxy);
  if (!address) {
    return tl::unexpected(address.error());
  }
  boost::asio::io_context loop(1);
  const auto connection = std::make_shared<Connection>(loop, options.tls);
  Fetch fetch(*connection, message_of(url, request, options.proxy));
  connection->set_handler(&fetch);
  connection->connect(*address, url.host, options.timeout, tunnel_request(url, options.proxy));
  const base::Nanos deadline = base::monotonic_now() + options.timeout;
  const auto stopped = [&] { return options.stop != nullptr && *options.stop; };
  while (!fetch.over() && !stopped() && base::monotonic_now() < deadline) {
    loop.run_one_for(std::chrono::milliseconds(20));
  }
  connection->set_handler(nullptr);
  connection->close();
  if (!fetch.over() || !fetch.failure().empty()) {
    return base::environment_error(
        url.to_text() + request.path + way_text(options.proxy),
        fetch.over() ? fetch.failure() : "no answer within the time limit",
        options.tls ? "is it up, does it speak TLS, is its certificate trusted?"
                    : "is it up, and does it listen there?");
  }
  return std::move(fetch).result();
}

}  // namespace steelyard::wire
