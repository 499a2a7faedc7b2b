#include "load/engine.h"

#include <fmt/format.h>
#include <sys/resource.h>

#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <deque>

#include "base/text.h"
#include "load/lane.h"
#include "wire/address.h"

namespace steelyard::load {
namespace {

// Beside the connections: standard streams, the loop's own, the store.
constexpr rlim_t kOtherFiles = 64;
constexpr std::int64_t kMostAhead = 65'536;  // connections opened before the start

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

// The key, and the values of header fields that look like one.
std::vector<base::Secret> secrets_of(const Target& target) {
  constexpr std::size_t kShortestSecret = 8;  // shorter ones stand in too many other words
  std::vector<base::Secret> secrets{target.api_key};
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

struct Engine::State : Lane::Owner {
  const Target& target;
  const Plan& plan;
  boost::asio::io_context loop{1};
  boost::asio::steady_timer timer{loop};
  wire::Resolved address;
  std::optional<LaneContext> context;
  std::vector<std::unique_ptr<Lane>> lanes;
  std::vector<Lane*> idle;
  std::deque<std::size_t> due;  // and not yet sent: every slot is taken
  std::string head;             // of every request, up to the id
  std::vector<std::string> messages;
  Sink* sink = nullptr;
  RunReport report;
  std::size_t next = 0;  // of the schedule
  std::int64_t out = 0;
  base::Nanos last_sent = 0;
  std::size_t connecting = 0;
  std::string connect_failure;
  std::atomic<bool> stop_asked{false};
  bool running = false;

  State(const Target& to, const Plan& what) : target(to), plan(what) {}

  [[nodiscard]] std::int64_t limit() const {
    return plan.max_concurrency.value_or(std::numeric_limits<std::int64_t>::max());
  }
  [[nodiscard]] bool sends_over() const { return next == plan.requests.size() && due.empty(); }

  void prepare() {
    head = fmt::format(
        "POST {}{} HTTP/1.1\r\nHost: {}\r\nContent-Type: application/json\r\n"
        "Accept: {}\r\nAccept-Encoding: identity\r\nUser-Agent: steelyard\r\n",
        target.url.path, target.path, target.url.authority(),
        plan.stream ? "text/event-stream, application/json" : "application/json");
    for (const auto& [name, value] : fields_of(target)) {
      head.append(name).append(": ").append(value).append("\r\n");
    }
    messages.reserve(plan.requests.size());
    for (std::size_t i = 0; i < plan.requests.size(); ++i) {
      const std::string& body = plan.requests[i].body;
      messages.push_back(fmt::format("{}X-Request-Id: {}-{}\r\nContent-Length: {}\r\n\r\n{}", head,
                                     plan.run_id, i, body.size(), body));
    }
  }

  // Without a limit on concurrency only a schedule that sends all at once tells how many it takes.
  [[nodiscard]] base::Status raise_files() const {
    const auto requests = static_cast<std::int64_t>(plan.requests.size());
    const std::int64_t most = std::min(limit(), requests);
    const bool sure = plan.max_concurrency || plan.requests.back().due == 0;
    const auto raised = raise_file_limit(most);
    return sure ? raised : base::Status{};
  }

  base::Status open_lanes() {
    const std::int64_t wanted =
        std::min<std::int64_t>({plan.max_concurrency.value_or(1),
                                static_cast<std::int64_t>(plan.requests.size()), kMostAhead});
    if (const auto raised = raise_files(); !raised) {
      return raised;
    }
    connecting = static_cast<std::size_t>(wanted);
    for (std::int64_t i = 0; i < wanted; ++i) {
      add_lane()->connect();
    }
    // Run until every lane is open or has failed.
    while (connecting > 0 && !stop_asked && loop.run_one() > 0) {
    }
    if (idle.empty() && !stop_asked) {
      return base::environment_error(
          target.url.to_text(), connect_failure,
          target.tls ? "is it up, does it speak TLS, is its certificate trusted?"
                     : "is it up, and does it listen there?");
    }
    return {};
  }

  Lane* add_lane() {
    lanes.push_back(std::make_unique<Lane>(*context, *this));
    return lanes.back().get();
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
    running = true;
    report.began = base::monotonic_now();
    if (plan.closed_loop) {
      fill_slots();
    } else {
      pump();
    }
    end_if_over();
  }

  [[nodiscard]] bool sending_over() const {
    return plan.send_for && base::monotonic_now() - report.began >= *plan.send_for;
  }

  void give_up_rest() {
    report.not_sent += static_cast<std::int64_t>(due.size() + plan.requests.size() - next);
    due.clear();
    next = plan.requests.size();
  }

  // Closed loop: a request is due the moment a slot is free.
  void fill_slots() {
    if (sending_over()) {
      give_up_rest();
    }
    while (out < limit() && next < plan.requests.size()) {
      const base::Nanos now = base::monotonic_now();
      send(next++, now, now);
    }
  }

  // What comes first: the next due time, or the end of sending, past which none is waited for.
  [[nodiscard]] base::Nanos next_wake() const {
    const base::Nanos due_after = plan.requests[next].due;
    return report.began + std::min(due_after, plan.send_for.value_or(due_after));
  }

  // Open loop: everything whose time has come is due, whether or not a slot is free.
  void pump() {
    const base::Nanos now = base::monotonic_now();
    while (next < plan.requests.size() && report.began + plan.requests[next].due <= now) {
      due.push_back(next++);
    }
    send_due(0);
    if (next < plan.requests.size()) {
      timer.expires_at(
          std::chrono::steady_clock::time_point(std::chrono::nanoseconds(next_wake())));
      timer.async_wait([this](const boost::system::error_code& cancelled) {
        if (!cancelled && running) {
          pump();
          end_if_over();
        }
      });
    }
  }

  // `free_since`: when the slot became free that the first of them waited for.
  void send_due(base::Nanos free_since) {
    if (sending_over()) {
      give_up_rest();
    }
    while (!due.empty() && out < limit()) {
      const std::size_t index = due.front();
      due.pop_front();
      const base::Nanos due_at = report.began + plan.requests[index].due;
      send(index, due_at, std::max(due_at, free_since));
    }
  }

  void send(std::size_t index, base::Nanos due_at, base::Nanos could_send_at) {
    ++out;
    free_lane()->send(index, messages[index], due_at, could_send_at);
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

  void on_finished(Lane& lane, measure::RequestLog&& log) override {
    --out;
    idle.push_back(&lane);
    if (!sink->on_finished(lane.index(), std::move(log))) {
      stop_asked = true;
    }
    if (stop_asked) {
      halt();
      return;
    }
    if (plan.closed_loop) {
      fill_slots();
    } else {
      send_due(base::monotonic_now());
    }
    end_if_over();
  }

  void end_if_over() {
    if (running && out == 0 && sends_over()) {
      halt();
    }
  }

  // The schedule's own span against the one it took: a random schedule's rate is not the asked one
  // either, and that is no fault.
  void rate_achieved() {
    if (plan.closed_loop || report.stopped || report.not_sent > 0 || report.sent < 2) {
      return;
    }
    const double span = base::to_seconds(plan.requests.back().due);
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

base::Result<RunReport> Engine::run(Sink& sink) {
  State& state = *state_;
  if (state.plan.requests.empty()) {
    return RunReport{};
  }
  state.sink = &sink;
  auto address = wire::resolve(state.target.url);
  if (!address) {
    return tl::unexpected(address.error());
  }
  state.address = std::move(*address);
  state.context.emplace(state.loop, state.target, state.address, state.plan.stream,
                        secrets_of(state.target));
  state.prepare();
  if (const auto opened = state.open_lanes(); !opened) {
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
