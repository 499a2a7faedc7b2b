#include "command/bench_record.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "command/resumable.h"

namespace steelyard::command {
namespace {

// The first setting in which they differ; "" when there is none.
std::string difference(const base::Json& one, const base::Json& other) {
  for (const auto& [key, value] : one.items()) {
    if (!other.contains(key) || other[key] != value) {
      return key;
    }
  }
  return "";
}

base::Status same_settings(const std::string& path, const store::RunRecord& run,
                           const base::Json& settings) {
  const auto before = base::parse_json(run.config_json);
  if (!before) {
    return base::bad_input(path, "damaged: the settings of run " + run.id + " cannot be read");
  }
  const std::string lacks = difference(*before, settings);
  const std::string differs = lacks.empty() ? difference(settings, *before) : lacks;
  if (!differs.empty()) {
    return base::bad_input(differs, "not what run " + run.id + " was begun with",
                           before->contains(differs)
                               ? differs + " " + base::dump_json((*before)[differs])
                               : "leave it out");
  }
  return {};
}

void move_in_time(measure::RequestLog& log, base::Nanos by) {
  log.due_at += by;
  log.sent_at += by;
  log.written_at += by;
  for (auto* at : {&log.first_byte_at, &log.end_at}) {
    if (*at) {
      **at += by;
    }
  }
  for (measure::ChunkEvent& chunk : log.chunks) {
    chunk.at += by;
  }
}

}  // namespace

BenchRecord::BenchRecord(store::Store store, std::string run_id, std::string endpoint)
    : store_(std::make_unique<store::Store>(std::move(store))),
      run_id_(std::move(run_id)),
      endpoint_(std::move(endpoint)) {}

base::Result<BenchRecord> BenchRecord::begin(const std::string& path, const base::Json& settings,
                                             const std::string& endpoint) {
  auto store = store::Store::open(path);
  if (!store) {
    return tl::unexpected(store.error());
  }
  const auto id = store->begin_run("bench", endpoint, base::dump_json(settings));
  if (!id) {
    return tl::unexpected(id.error());
  }
  return BenchRecord(std::move(*store), *id, endpoint);
}

base::Result<BenchRecord> BenchRecord::resume(const std::string& path, const std::string& run_id,
                                              const base::Json& settings,
                                              const std::string& endpoint) {
  auto store = store::Store::open(path);
  if (!store) {
    return tl::unexpected(store.error());
  }
  const auto run = resumable_run(*store, path, "bench", run_id);
  if (!run) {
    return tl::unexpected(run.error());
  }
  if (const auto same = same_settings(path, *run, settings); !same) {
    return tl::unexpected(same.error());
  }
  auto logs = store->load_requests(run_id, endpoint);
  if (!logs) {
    return tl::unexpected(logs.error());
  }
  if (const auto begun = store->resume_run(run_id); !begun) {
    return tl::unexpected(begun.error());
  }
  BenchRecord record(std::move(*store), run_id, endpoint);
  for (const measure::RequestLog& log : *logs) {
    record.taken_ = std::max(record.taken_, log.index + 1);
  }
  record.earlier_ = std::move(*logs);
  return record;
}

std::vector<measure::RequestLog> BenchRecord::earlier(base::Nanos now) const {
  base::Nanos last = 0;
  for (const measure::RequestLog& log : earlier_) {
    last = std::max(last, log.end_at.value_or(log.sent_at));
  }
  std::vector<measure::RequestLog> logs = earlier_;
  for (measure::RequestLog& log : logs) {
    move_in_time(log, now - last);
  }
  return logs;
}

bool BenchRecord::take(const measure::RequestLog& log) {
  if (!writer_) {
    writer_ = std::make_unique<store::Writer>(*store_, run_id_);
  }
  return writer_->take(endpoint_, 0, log);
}

base::Status BenchRecord::finish(bool interrupted, const std::optional<std::string>& json) {
  const auto lacks = writer_ ? writer_->finish() : std::nullopt;
  const auto finished = store_->finish_run(
      run_id_, interrupted ? store::RunStatus::kInterrupted : store::RunStatus::kDone, json);
  return lacks ? base::Status(tl::unexpected(*lacks)) : finished;
}

}  // namespace steelyard::command
