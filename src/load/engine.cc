#include "load/engine.h"

#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <limits>
#include <map>

#include "base/text.h"
#include "load/lane.h"
#include "load/ready_queue.h"
#include "wire/address.h"
#include "wire/alpn_probe.h"
#include "wire/http1_exchange.h"
#include "wire/http2_exchange.h"

namespace steelyard::load {
namespace {

// Beside the connections: standard streams, the loop's own, the store.
constexpr rlim_t kOtherFiles = 64;
constexpr std::int64_t kMostAhead = 65'536;     // connections opened before the start
constexpr std::int64_t kMostFiles = 1'048'576;  // beyond what a kernel gives a process

base::Status raise_file_limit(std::int64_t connections) {
  rlimit limit{};
  getrlimit(RLIMIT_NOFILE, &limit);
  const rlim_t needed = static_cast<rlim_t>(connections) + kOtherFiles;
  if (limit.rlim_cur >= needed) {
    return {};
  }
  rlimit raised = limit;
  raised.rlim_cur = std::min(needed, limit.rlim_max);
  if (setrlimit(RLIMIT_NOFILE, &raised) != 0 || limit.rlim_max < needed) {
    return base::environment_error(
        "--max-concurrency",
        fmt::format("{} connections need {} open files, and this shell allows {}", connections,
                    needed, limit.rlim_max),
        fmt::format("fewer, or ulimit -Hn {}", needed));
  }
  return {};
}

// The values of header fields that look like a key.
std::vector<base::Secret> secrets_of(const Target& target) {
  constexpr std::size_t kShortestSecret = 8;  // shorter ones stand in too many other words
  std::vector<base::Secret> secrets;
  if (target.proxy && !target.proxy->authorization.empty()) {
    const std::string& value = target.proxy->authorization.reveal();
    secrets.emplace_back(value.substr(value.rfind(' ') + 1));
  }
  for (const auto& [name, value] : target.fields) {
    const std::string lower = base::lower(name);
    const bool secret = std::ranges::any_of(
        std::array{"auth", "key", "token", "secret", "cookie"},
        [&](std::string_view word) { return lower.find(word) != std::string::npos; });
    if (secret && value.size() >= kShortestSecret) {
      secrets.emplace_back(value);
      secrets.emplace_back(value.substr(value.rfind(' ') + 1));  // "Bearer sk-...": the key alone
    }
  }
  return secrets;
}

}  // namespace

struct Engine::State : Lane::Owner, WayMaker {
  const Target& target;
  const Plan& plan;
  boost::asio::io_context loop{1};
  boost::asio::steady_timer timer{loop};
  wire::Route route;
  std::map<std::string, wire::Route> others;  // by authority: hosts that the platform sent us to
  std::optional<wire::Http2Pool> pool;        // where HTTP/2 is spoken
  std::optional<LaneContext> context;
  std::vector<std::unique_ptr<Lane>> lanes;
  std::vector<Lane*> idle;
  platform::Authorizer authorizer;
  ReadyQueue ready;
  Sink* sink = nullptr;
  RunReport report;
  std::int64_t out = 0;
  bool sends_over = false;
  base::Nanos last_due = 0;   // of those sent, after the start
  base::Nanos waking_at = 0;  // what the timer is set for; 0: for nothing
  base::Nanos last_sent = 0;
  std::size_t connecting = 0;
  std::string connect_failure;
  std::atomic<bool> stop_asked{false};
  std::atomic<bool> drain_asked{false};
  bool running = false;

  State(const Target& to, const Plan& what)
      : target(to),
        plan(what),
        route{loop,
              {},
              to.url.host,
              to.tls,
              wire::tunnel_request(to.url, to.proxy),
              to.connect_timeout},
        authorizer(to.auth),
        ready(to, what, authorizer) {}

  [[nodiscard]] std::int64_t limit() const {
    return plan.max_concurrency.value_or(std::numeric_limits<std::int64_t>::max());
  }

  // How many requests may be out at once, as far as it is known.
  [[nodiscard]] std::int64_t most_out() const {
    return std::min(limit(), plan.requests->planned().value_or(limit()));
  }

  // Without a limit on concurrency only a schedule that sends all at once tells how many it takes.
  [[nodiscard]] base::Status raise_files() const {
    const bool sure = plan.max_concurrency || (!ready.empty() && all_at_once());
    const std::int64_t most = std::min(most_out(), kMostFiles);
    const auto raised = raise_file_limit(pool ? connections_for(most) : most);
    return sure ? raised : base::Status{};
  }

  [[nodiscard]] bool all_at_once() const {
    const auto next_due = plan.requests->next_due();
    return ready.last_due() == 0 && next_due.value_or(0) == 0;
  }

  [[nodiscard]] std::int64_t connections_for(std::int64_t requests) const {
    const std::int64_t each = streams_each();
    return (requests + each - 1) / each;
  }

  // At once on a connection of HTTP/2.
  [[nodiscard]] std::uint32_t streams_each() const {
    return target.reuse == Reuse::kKeep ? target.http2_streams : 1;
  }

  // Settles the version of HTTP that is spoken.
  base::Status choose_http() {
    bool http2 = target.http == HttpVersion::k2;
    if (target.http == HttpVersion::kAuto && target.tls) {
      const wire::AlpnProbe probe(route);
      while (!probe.over() && !ending() && loop.run_one() > 0) {
      }
      if (!probe.failure().empty()) {
        return unreachable(probe.failure());
      }
      http2 = probe.http2();
    }
    if (http2) {
      pool.emplace(route, streams_each());
    }
    report.http = http2 ? HttpVersion::k2 : HttpVersion::k11;
    return {};
  }

  [[nodiscard]] base::Status unreachable(const std::string& why) const {
    return base::environment_error(target.url.to_text() + wire::way_text(target.proxy), why,
                                   target.tls
                                       ? "is it up, does it speak TLS, is its certificate trusted?"
                                       : "is it up, and does it listen there?");
  }

  base::Status open_lanes() {
    // Where each request opens its own, one shows that the server is there.
    const bool kept = target.reuse == Reuse::kKeep;
    const std::int64_t wanted =
        kept ? std::min({plan.max_concurrency.value_or(1), most_out(), kMostAhead}) : 1;
    if (const auto raised = raise_files(); !raised) {
      return raised;
    }
    connecting = static_cast<std::size_t>(wanted);
    for (std::int64_t i = 0; i < wanted; ++i) {
      add_lane()->connect();
    }
    // Run until every lane is open or has failed.
    while (connecting > 0 && !ending() && loop.run_one() > 0) {
    }
    if (idle.empty() && !ending()) {
      return unreachable(connect_failure);
    }
    return {};
  }

  [[nodiscard]] bool ending() const { return stop_asked || drain_asked; }

  Lane* add_lane() {
    lanes.push_back(std::make_unique<Lane>(*context, *this, *this,
                                           plan.make_call ? plan.make_call() : nullptr));
    return lanes.back().get();
  }

  std::unique_ptr<wire::Exchange> make(wire::Exchange::Handler& handler) override {
    if (pool) {
      return std::make_unique<wire::Http2Exchange>(*pool, handler);
    }
    return std::make_unique<wire::Http1Exchange>(route, handler);
  }

  base::Result<std::unique_ptr<wire::Exchange>> make_to(const wire::Url& url,
                                                        wire::Exchange::Handler& handler) override {
    const std::string name = url.authority();
    if (!others.contains(name)) {
      auto address = wire::resolve(url, target.proxy);
      if (!address) {
        return tl::unexpected(address.error());
      }
      others.emplace(
          name, wire::Route{loop, std::move(*address), url.host, url.tls ? target.tls : nullptr,
                            wire::tunnel_request(url, target.proxy), target.connect_timeout});
    }
    return std::make_unique<wire::Http1Exchange>(others.at(name), handler);
  }

  Lane* free_lane() {
    if (idle.empty()) {
      return add_lane();
    }
    Lane* lane = idle.back();
    idle.pop_back();
    return lane;
  }

  void start() {
    sign_first();
    running = true;
    report.began = base::monotonic_now();
    pump(0);
  }

  [[nodiscard]] bool sending_over() const {
    return drain_asked || (plan.send_for && base::monotonic_now() - report.began >= *plan.send_for);
  }

  // What was due, or would have been, and is not sent.
  void give_up_rest() {
    if (sends_over) {
      return;
    }
    const std::int64_t untaken = plan.requests->planned().value_or(ready.taken()) - ready.taken();
    report.not_sent += ready.waiting() + untaken;
    ready.clear();
    sends_over = true;
  }

  // Sends whatever is due and has a slot, and sets the timer for what comes next. `free_since`:
  // when the slot became free that the first of them waited for.
  void pump(base::Nanos free_since) {
    while (!sends_over) {
      if (sending_over()) {
        give_up_rest();
        break;
      }
      ready.fill();
      if (ready.empty()) {
        sends_over = plan.requests->over();
        break;
      }
      const base::Nanos now = base::monotonic_now();
      base::Nanos due_at = report.began + ready.front().due;
      if (due_at > now) {
        wake_at(next_wake(sign_ahead(due_at)));
        break;
      }
      if (out >= limit()) {
        wake_at(next_wake(sign_ahead(std::numeric_limits<base::Nanos>::max())));
        break;
      }
      due_at = plan.closed_loop ? now : due_at;
      send(due_at, std::max(due_at, free_since));
    }
    end_if_over();
  }

  // What comes first: the next due time, or the end of sending, past which none is waited for.
  [[nodiscard]] base::Nanos next_wake(base::Nanos due_at) const {
    return plan.send_for ? std::min(due_at, report.began + *plan.send_for) : due_at;
  }

  // While nothing can be sent: what is due soon gets its signature. Gives when to come back, `at`
  // at the latest.
  [[nodiscard]] base::Nanos sign_ahead(base::Nanos at) {
    const auto next = ready.sign_some(report.began, base::monotonic_now());
    return next ? std::min(at, *next) : at;
  }

  // All of that before the start.
  void sign_first() {
    const base::Nanos began = base::monotonic_now();
    for (base::Nanos now = began; ready.sign_some(began, now).value_or(now + base::kSecond) <=
                                  now + ReadyQueue::kNextTurn;) {
      now = base::monotonic_now();
    }
  }

  void wake_at(base::Nanos at) {
    if (at == std::numeric_limits<base::Nanos>::max() || at == waking_at) {
      return;
    }
    waking_at = at;
    timer.expires_at(std::chrono::steady_clock::time_point(std::chrono::nanoseconds(at)));
    timer.async_wait([this](const boost::system::error_code& cancelled) {
      if (!cancelled && running) {
        waking_at = 0;
        pump(0);
      }
    });
  }

  void send(base::Nanos due_at, base::Nanos could_send_at) {
    ++out;
    Outgoing request = ready.take();
    last_due = std::max(last_due, request.due);
    Lane* lane = free_lane();
    lane->send(request, due_at, could_send_at);
    ready.recycle(std::move(request.message));
  }

  void on_connected(Lane& lane) override {
    idle.push_back(&lane);
    connecting -= connecting > 0 ? 1 : 0;
  }

  void on_lost(Lane& lane, const std::string& why) override {
    const bool had_opened = std::erase(idle, &lane) > 0;
    if (running) {
      idle.push_back(&lane);  // it connects anew when it is used
      return;
    }
    connecting -= had_opened ? 0 : 1;
    connect_failure = why.empty() ? "the server closed the connection" : why;
  }

  void on_sent(Lane& lane) override {
    ++report.sent;
    last_sent = base::monotonic_now();
    sink->on_sent(lane.index());
  }

  void on_finished(Lane& lane, measure::RequestLog& log) override {
    if (!running) {
      return;  // halted by another answer of the same read
    }
    const base::Nanos now = base::monotonic_now();
    --out;
    idle.push_back(&lane);
    plan.requests->ended(lane.index() - plan.first_index, log.end_at.value_or(now) - report.began,
                         log.outcome == measure::Outcome::kCompleted, lane.answer());
    if (!sink->on_finished(lane.index(), log)) {
      stop_asked = true;
    }
    if (stop_asked) {
      halt();
      return;
    }
    pump(now);
  }

  // Nothing is out and nothing will come: what a source does not know by then it never will.
  void end_if_over() {
    if (running && out == 0 && (sends_over || (ready.empty() && !plan.requests->next_due()))) {
      halt();
    }
  }

  // The schedule's own span against the one it took: a random schedule's rate is not the asked one
  // either, and that is no fault.
  void rate_achieved() {
    if (plan.closed_loop || report.stopped || report.not_sent > 0 || report.sent < 2) {
      return;
    }
    const double span = base::to_seconds(last_due);
    const double taken = base::to_seconds(last_sent - report.began);
    if (span > 0 && taken > 0) {
      report.health.asked_rps = static_cast<double>(report.sent) / span;
      report.health.achieved_rps = static_cast<double>(report.sent) / taken;
    }
  }

  void halt() {
    running = false;
    report.ended = base::monotonic_now();
    report.began = report.began == 0 ? report.ended : report.began;  // stopped before the start
    report.abandoned = out;
    report.stopped = stop_asked;
    give_up_rest();
    timer.cancel();
    loop.stop();
  }
};

Engine::Engine(const Target& target, const Plan& plan)
    : state_(std::make_unique<State>(target, plan)) {}
Engine::~Engine() = default;

void Engine::stop() {
  state_->stop_asked = true;
  boost::asio::post(state_->loop, [state = state_.get()] {
    if (state->running) {
      state->halt();
    }
  });
}

void Engine::drain() {
  state_->drain_asked = true;
  boost::asio::post(state_->loop, [state = state_.get()] {
    if (state->running) {
      state->pump(0);
    }
  });
}

base::Result<RunReport> Engine::run(Sink& sink) {
  State& state = *state_;
  if (const auto begun = state.authorizer.begin(&state.stop_asked); !begun) {
    return tl::unexpected(begun.error());
  }
  state.ready.fill();
  if (state.ready.empty()) {
    return RunReport{};
  }
  state.sink = &sink;
  const base::Nanos asked_at = base::monotonic_now();
  auto address = wire::resolve(state.target.url, state.target.proxy);
  if (!address) {
    return tl::unexpected(address.error());
  }
  state.route.address = std::move(*address);
  state.context.emplace(state.loop, state.target, *state.plan.dialect, state.plan.stream,
                        state.plan.requests->wants_answers(), state.authorizer,
                        secrets_of(state.target), state.plan.dialect->make_reader());
  state.context->health.connects.dns = base::monotonic_now() - asked_at;
  const auto opened = state.choose_http().and_then([&] { return state.open_lanes(); });
  if (!opened) {
    return tl::unexpected(opened.error());
  }
  const base::Nanos cpu_before = base::thread_cpu_now();
  if (state.stop_asked) {
    state.halt();
  } else {
    state.start();
    if (state.running) {
      state.loop.run();
    }
  }
  RunReport& report = state.report;
  report.health = state.context->health;
  report.health.cpu = base::thread_cpu_now() - cpu_before;
  report.health.wall = report.ended - report.began;
  report.emulated_by = state.context->emulated_by;
  state.rate_achieved();
  for (const auto& lane : state.lanes) {
    lane->abort();
  }
  return report;
}

}  // namespace steelyard::load
