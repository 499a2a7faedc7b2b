// Runs a plan on the calling thread's own loop and hands every request's event log to a sink.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>

#include "base/error.h"
#include "load/plan.h"
#include "load/sink.h"
#include "measure/certificate.h"

namespace steelyard::load {

struct RunReport {
  base::Nanos began = 0;  // the schedule's zero, after connecting
  base::Nanos ended = 0;
  std::int64_t sent = 0;
  std::int64_t not_sent = 0;   // stopped, drained, or `send_for` was over
  std::int64_t abandoned = 0;  // were out when the run was stopped; in no figure
  bool stopped = false;
  HttpVersion http = HttpVersion::k11;  // what was spoken
  std::string emulated_by;  // what the server named itself in X-Steelyard-Emulated; else empty
  measure::ClientHealth health;
};

class Engine {
 public:
  // Both outlive the engine.
  Engine(const Target& target, const Plan& plan);
  ~Engine();
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;

  // Resolves, connects, runs, waits for what is out. A host that has no address, does not answer or
  // fails TLS before anything was sent is an environment error; later it is an outcome.
  [[nodiscard]] base::Result<RunReport> run(Sink& sink);
  // From any thread: sends nothing more and drops what is out.
  void stop();
  // From any thread: sends nothing more and waits for what is out.
  void drain();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace steelyard::load
