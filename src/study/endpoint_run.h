// One workload sent to one OpenAI-compatible endpoint, and what came of it.
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "load/engine.h"
#include "load/plan.h"
#include "measure/event_log.h"
#include "measure/histogram.h"
#include "platform/dialect.h"
#include "study/endpoint_figures.h"
#include "workload/source.h"

namespace steelyard::study {

struct LoadShape {
  bool closed_loop = false;
  std::optional<std::int64_t> max_concurrency;
  std::optional<base::Nanos> send_for;
};

// How far a run is; read from another thread while it goes on.
struct Progress {
  std::optional<std::int64_t> planned;  // where the source knows
  std::int64_t sent = 0;
  std::int64_t ended = 0;
  std::int64_t completed = 0;
  std::int64_t missed = 0;   // failed, or over a limit of the SLA
  base::Nanos began_at = 0;  // first send; 0 before it
  std::optional<base::Nanos> ttft_p50;
  std::optional<base::Nanos> ttft_p99;
  std::optional<base::Nanos> send_lag_p99;
};

struct EndpointResult {
  EndpointFigures figures;
  std::vector<measure::RequestLog> logs;  // in order of ending, where they were to be kept
  load::RunReport report;
  workload::SourceFacts facts;
  bool narrow_enough = false;  // the stop rule ended it
  bool usage_refused = false;  // stream_options was left out after a 400 that named it
};

// Takes each request's log as it ends, on the engine's thread. False stops the run.
using Record = std::function<bool(const measure::RequestLog& log)>;

// A source of its own for each attempt: what was taken from one is gone.
using MakeSource = std::function<std::unique_ptr<workload::Source>()>;

class EndpointRun {
 public:
  // `sla`: what the figures are held against.
  EndpointRun(load::Target target, platform::RequestOptions options, LoadShape shape, Sla sla = {});

  // Blocks until all have ended or `stop`. Once only a run of the same prompts is begun anew: when
  // the first answer is a 400 that names stream_options, before anything completed. A key or model
  // that the server refuses before anything completed is bad input; an unreachable host is an
  // environment error.
  [[nodiscard]] base::Result<EndpointResult> run(const MakeSource& make_source,
                                                 const std::string& run_id);
  [[nodiscard]] base::Result<EndpointResult> run(const std::vector<workload::Request>& requests,
                                                 const std::string& run_id);
  // Before `run`: nothing more is sent once `RunFigures::p99_half_width` is at most that share and
  // `kLeastToStop` requests have ended.
  static constexpr std::int64_t kLeastToStop = 200;
  void stop_when_p99_within(double share) { p99_within_ = share; }
  // Before `run`: its result has every request's log, and not their sums alone.
  void keep_logs() { keep_logs_ = true; }
  // Before `run`: sees what stands in its result, as it comes.
  void set_record(Record record) { record_ = std::move(record); }
  // Before `run`: the number of its first request, where an earlier one had those before.
  void set_first_index(std::size_t index) { first_index_ = index; }
  // From any thread. What is out is dropped.
  void stop();
  // From any thread. Nothing more is sent, what is out is waited for.
  void drain();
  [[nodiscard]] Progress progress() const;
  // The counts of it alone, for those who look often.
  struct Counts {
    base::Nanos began_at = 0;  // first send; 0 before it
    std::int64_t out = 0;      // sent and not ended
  };
  [[nodiscard]] Counts counts() const;

 private:
  class Collector;
  [[nodiscard]] load::Plan plan_for(workload::Source& source, const std::string& run_id) const;
  base::Result<EndpointResult> attempt(workload::Source& source, const std::string& run_id);

  load::Target target_;
  platform::RequestOptions options_;
  LoadShape shape_;
  Sla sla_;
  Record record_;
  bool keep_logs_ = false;
  std::optional<double> p99_within_;
  std::size_t first_index_ = 0;
  mutable std::mutex mutex_;  // guards what follows; taken once a request, never a token
  Progress progress_;
  measure::Histogram ttft_;
  measure::Histogram send_lag_;
  load::Engine* engine_ = nullptr;
  bool stopped_ = false;
  bool drained_ = false;
};

}  // namespace steelyard::study
