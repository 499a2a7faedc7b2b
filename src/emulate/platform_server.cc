#include "emulate/platform_server.h"

#include <fmt/format.h>

#include "platform/emulated.h"

namespace steelyard::emulate {
namespace {

using boost::asio::ip::tcp;
using boost::system::error_code;

std::string_view path_of(std::string_view target) { return target.substr(0, target.find('?')); }

bool refuses(FailureKind kind) {
  return kind == FailureKind::kUnavailable || kind == FailureKind::kRateLimited;
}

// A header's value must stay on its line.
std::string one_line(std::string text) {
  std::replace_if(
      text.begin(), text.end(), [](unsigned char c) { return c < ' ' || c > '~'; }, '?');
  return text;
}

}  // namespace

base::Result<std::unique_ptr<PlatformServer>> PlatformServer::start(boost::asio::io_context& loop,
                                                                    Profile profile,
                                                                    ServeOptions options) {
  if (voices_of(profile.platform).empty()) {
    return base::bad_input("PLATFORM", "'" + profile.platform + "' has no emulator",
                           fmt::format("{} or truth", kEmulatedPlatforms));
  }
  std::unique_ptr<PlatformServer> server(
      new PlatformServer(loop, std::move(profile), std::move(options)));
  if (const auto listening = server->listen(); !listening) {
    return tl::unexpected(listening.error());
  }
  server->accept();
  return server;
}

PlatformServer::PlatformServer(boost::asio::io_context& loop, Profile profile, ServeOptions options)
    : loop_(loop),
      profile_(std::move(profile)),
      options_(std::move(options)),
      voices_(voices_of(profile_.platform)),
      acceptor_(loop),
      random_(profile_.seed),
      metrics_(profile_.model) {}

base::Status PlatformServer::listen() {
  const std::string where = fmt::format("{}:{}", options_.host, options_.port);
  error_code failed;
  const auto address = boost::asio::ip::make_address(options_.host, failed);
  if (failed) {
    return base::bad_input("--host", "'" + options_.host + "' is no IP address",
                           "for example 127.0.0.1, or 0.0.0.0 for every interface");
  }
  const tcp::endpoint endpoint(address, options_.port);
  acceptor_.open(endpoint.protocol(), failed);
  if (!failed) {
    acceptor_.set_option(tcp::acceptor::reuse_address(true), failed);
    acceptor_.bind(endpoint, failed);
  }
  if (!failed) {
    acceptor_.listen(tcp::acceptor::max_listen_connections, failed);
  }
  if (failed) {
    return base::environment_error(where, "cannot listen there: " + failed.message(),
                                   "another port, or 0 for any free one");
  }
  return {};
}

std::string PlatformServer::url() const {
  const bool v6 = options_.host.find(':') != std::string::npos;
  return fmt::format("{}://{}{}{}:{}", options_.tls ? "https" : "http", v6 ? "[" : "",
                     options_.host, v6 ? "]" : "", acceptor_.local_endpoint().port());
}

void PlatformServer::accept() {
  acceptor_.async_accept([this](const error_code& failed, tcp::socket socket) {
    if (failed == boost::asio::error::operation_aborted) {
      return;
    }
    if (!failed) {
      auto connection = std::make_shared<wire::Connection>(loop_, options_.tls);
      auto session = std::make_shared<Session>(
          connection, fmt::format("{}: {}\r\n", platform::kEmulatedField, one_line(profile_.name)),
          [this](const std::shared_ptr<Session>& from, const Session::Request& request) {
            handle(from, request);
          },
          [this, weak = std::weak_ptr(connection)](const std::shared_ptr<Session>& closed) {
            sessions_.erase(closed);
            connections_.erase(weak.lock());
          });
      sessions_.insert(session);
      connections_.insert(connection);
      connection->set_handler(session.get());
      connection->accept(std::move(socket));
    }
    accept();
  });
}

void PlatformServer::stop() {
  error_code ignored;
  acceptor_.close(ignored);
  waiting_.clear();
  for (const auto& generation : std::set(running_)) {
    generation->abandon();
  }
  for (const auto& connection : std::exchange(connections_, {})) {
    connection->close();
  }
  sessions_.clear();
}

void PlatformServer::handle(const std::shared_ptr<Session>& session,
                            const Session::Request& request) {
  const std::string_view path = path_of(request.head.target);
  for (const auto& voice : voices_) {
    if (voice->takes(path)) {
      if (request.head.method == "POST") {
        generate(session, request, voice);
      } else {
        session->answer(voice->error(405, "this path takes POST"));
      }
      return;
    }
  }
  if (request.head.method == "DELETE" && path == "/truth") {
    truth_.clear();
    session->answer({200, "{}"});
    return;
  }
  if (request.head.method != "GET") {
    session->answer(voices_.front()->error(404, fmt::format("no such path: {}", path)));
    return;
  }
  handle_get(session, request.head, path);
}

void PlatformServer::handle_get(const std::shared_ptr<Session>& session, const wire::HttpHead& head,
                                std::string_view path) {
  if (path == "/metrics") {
    session->answer({200, metrics_.to_text(), "text/plain; version=0.0.4; charset=utf-8"});
    return;
  }
  if (path == "/truth") {
    session->answer({200, truth_.to_json()});
    return;
  }
  if (path == "/truth/summary") {
    session->answer({200, truth_.summary_json()});
    return;
  }
  for (const auto& voice : voices_) {
    if (const auto answer = voice->look(path, profile_.model)) {
      const bool open = path == "/health" || authorised(head);
      session->answer(open ? *answer : voice->error(401, "Incorrect API key provided"));
      return;
    }
  }
  session->answer(path == "/health"
                      ? Answer{200, "", "text/plain"}
                      : voices_.front()->error(404, fmt::format("no such path: {}", path)));
}

bool PlatformServer::authorised(const wire::HttpHead& head) const {
  return options_.api_key.empty() ||
         head.field("authorization") == "Bearer " + options_.api_key.reveal();
}

void PlatformServer::generate(const std::shared_ptr<Session>& session,
                              const Session::Request& request,
                              const std::shared_ptr<const Voice>& voice) {
  if (!authorised(request.head)) {
    session->answer(voice->error(401, "Incorrect API key provided"));
    return;
  }
  auto parsed = voice->parse(path_of(request.head.target), request.body);
  if (!parsed) {
    session->answer(voice->error(400, parsed.error()));
    return;
  }
  if (!parsed->model.empty() && parsed->model != profile_.model) {
    session->answer(
        voice->error(404, fmt::format("The model `{}` does not exist.", parsed->model)));
    return;
  }
  const std::string_view given = request.head.field("x-request-id");
  const std::string id =
      voice->id_of(*parsed, given.empty() ? std::to_string(number_) : std::string(given));
  base::Random own = random_.fork(number_++);
  const bool fails = own.uniform() < profile_.failure_rate;
  if (fails && refuses(profile_.failure_kind)) {
    refuse(session, *voice, id, request.received);
    return;
  }
  const auto generation = std::make_shared<Generation>(
      loop_, session, voice, std::move(*parsed), id, request.received,
      [this](const std::shared_ptr<Generation>& done) { ended(done); });
  generation->behave(profile_, own, fails ? std::optional(profile_.failure_kind) : std::nullopt);
  session->set_on_abandoned([weak = std::weak_ptr(generation)] {
    if (const auto alive = weak.lock()) {
      alive->abandon();
    }
  });
  enqueue(generation);
}

void PlatformServer::refuse(const std::shared_ptr<Session>& session, const Voice& voice,
                            const std::string& id, base::Nanos received) {
  measure::RequestLog log;
  log.due_at = received;
  log.sent_at = received;
  log.end_at = base::monotonic_now();
  log.outcome = measure::Outcome::kRefused;
  truth_.add(id, std::move(log));
  const bool limited = profile_.failure_kind == FailureKind::kRateLimited;
  session->answer(limited ? voice.error(429, "Rate limit reached")
                          : voice.error(503, "The emulated engine is overloaded"),
                  limited ? "Retry-After: 1\r\n" : "");
}

void PlatformServer::enqueue(const std::shared_ptr<Generation>& generation) {
  waiting_.push_back(generation);
  start_waiting();
}

base::Nanos PlatformServer::begin_time() {
  const base::Nanos now = base::monotonic_now();
  const bool idled = profile_.idle_timeout > 0 && running_.empty() && idle_since_ > 0 &&
                     now - idle_since_ >= profile_.idle_timeout;
  if (warm_at_ == 0 || idled) {
    warm_at_ = now + profile_.cold_start;
    idle_since_ = 0;
  }
  return std::max(now, warm_at_);
}

void PlatformServer::start_waiting() {
  while (!waiting_.empty() && static_cast<std::int64_t>(running_.size()) < profile_.slots) {
    const auto next = waiting_.front();
    waiting_.pop_front();
    if (next->over()) {
      continue;  // its client has gone
    }
    const base::Nanos begin = begin_time();
    running_.insert(next);
    next->start(begin);
  }
  show_queue();
}

void PlatformServer::ended(const std::shared_ptr<Generation>& generation) {
  metrics_.finished(generation->log());
  truth_.add(generation->id(), std::move(generation->log()));
  running_.erase(generation);
  idle_since_ = base::monotonic_now();
  start_waiting();
}

void PlatformServer::show_queue() {
  metrics_.set_queue(static_cast<std::int64_t>(running_.size()),
                     static_cast<std::int64_t>(waiting_.size()));
}

}  // namespace steelyard::emulate
