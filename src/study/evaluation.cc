#include "study/evaluation.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "store/writer.h"
#include "study/emulator_host.h"

namespace steelyard::study {
namespace {

using measure::RequestLog;

// The requests of one round, due from the block's own start.
std::vector<workload::Request> block_of(const std::vector<workload::Request>& all,
                                        std::int64_t round, std::int64_t rounds) {
  const auto n = static_cast<std::int64_t>(all.size());
  const auto first = all.begin() + n * round / rounds;
  std::vector<workload::Request> block(first, all.begin() + n * (round + 1) / rounds);
  const base::Nanos start = block.empty() ? 0 : block.front().due;
  for (workload::Request& request : block) {
    request.due -= start;
  }
  return block;
}

// From the first send to the last byte; where a request timed out, to the block's end: that wait is
// rented too.
base::Nanos window_of(const measure::RunFigures& block, base::Nanos block_ended) {
  base::Nanos last = block.last_byte().value_or(0);
  if (block.any(measure::Outcome::kTimeout)) {
    last = std::max(last, block_ended);
  }
  return std::max<base::Nanos>(last - block.first_send().value_or(last), 0);
}

}  // namespace

struct EvaluationRun::Participant {
  SuitePlatform platform;
  std::unique_ptr<EmulatorHost> emulator;
  Measured measured;
  std::set<std::int64_t> rounds_done;  // by an earlier process
};

base::Result<std::vector<EvaluationRun::Participant>> EvaluationRun::gather(
    std::vector<Reason>& notes) {
  std::vector<Participant> participants;
  for (const SuitePlatform& platform : suite_.platforms) {
    if (platform.absent) {
      notes.push_back({fmt::format("{} was left out: {}", platform.name, platform.lacks),
                       fmt::format("未测 {}：{}", platform.name, platform.lacks_zh)});
      continue;
    }
    Participant participant{platform, nullptr, Measured(suite_.sla), {}};
    participant.measured.emulated = platform.emulated.has_value();
    if (platform.emulated) {
      auto host = EmulatorHost::start(*platform.emulated);
      if (!host) {
        return tl::unexpected(host.error());
      }
      participant.emulator = std::move(*host);
      participant.platform.target.url = *wire::parse_url("", participant.emulator->url());
    }
    participants.push_back(std::move(participant));
  }
  if (participants.empty()) {
    return base::environment_error(suite_.name,
                                   "no platform of the suite is at hand: " + notes.back().text_en);
  }
  return participants;
}

base::Result<EndpointResult> EvaluationRun::run_watched(
    Participant& participant, const LoadShape& shape, const std::string& text,
    const std::vector<workload::Request>& requests, const std::string& run_id, Record record) {
  EndpointRun run(participant.platform.target, participant.platform.options, shape, suite_.sla);
  run.set_record(std::move(record));
  {
    const std::lock_guard lock(mutex_);
    current_ = &run;
    where_ = text;
    if (stopped_) {
      run.stop();
    }
  }
  auto result = run.run(requests, run_id);
  const std::lock_guard lock(mutex_);
  current_ = nullptr;
  return result;
}

base::Status EvaluationRun::test_client() {
  if (!testing_) {
    return {};
  }
  const SuiteWorkload& workload = suite_.workload;
  SelfTestRun test(self_test_streams(workload.shape, workload.arrivals.rate_rps,
                                     static_cast<std::int64_t>(suite_.requests.size())));
  {
    const std::lock_guard lock(mutex_);
    test_ = &test;
    where_ = "testing this client";
    if (stopped_) {
      test.stop();
    }
  }
  auto tested = test.run();
  const std::lock_guard lock(mutex_);
  test_ = nullptr;
  return tested.map([&](const measure::SelfTest& result) { self_test_ = result; });
}

base::Status EvaluationRun::warm_up(Participant& participant, const std::string& run_id) {
  // When resuming, one at least: whether an emulator stands there is known by its answer alone.
  const std::int64_t count = std::max<std::int64_t>(suite_.workload.warmups, resuming_ ? 1 : 0);
  if (count == 0 || stopped()) {
    return {};
  }
  LoadShape shape;
  shape.closed_loop = true;
  shape.max_concurrency = std::min(count, suite_.workload.shape.max_concurrency.value_or(1));
  const auto warm =
      run_watched(participant, shape, "warm-up, " + participant.platform.name,
                  workload::warmup_requests(suite_.requests, count, suite_.workload.dataset.seed),
                  run_id + "-warmup", {});
  if (!warm) {
    return tl::unexpected(warm.error());
  }
  participant.measured.emulated =
      participant.measured.emulated || !warm->report.emulated_by.empty();
  return {};
}

void EvaluationRun::take_block(Participant& participant, const std::vector<RequestLog>& logs) {
  const measure::Limits limits = limits_of(suite_.sla);
  EndpointFigures block(suite_.sla);
  base::Nanos ended = 0;
  for (const RequestLog& log : logs) {
    participant.measured.keep_share(log, limits);
    block.add(log);
    const base::Nanos given_up = log.sent_at + participant.platform.target.request_timeout;
    ended = std::max(ended, log.outcome == measure::Outcome::kTimeout
                                ? given_up
                                : log.end_at.value_or(log.sent_at));
  }
  participant.measured.window += window_of(block.run, ended);
  participant.measured.figures.merge(block);
}

base::Status EvaluationRun::take_earlier(std::vector<Participant>& participants,
                                         const std::string& run_id, store::Store& store,
                                         std::vector<Reason>& notes) {
  const std::int64_t rounds = suite_.workload.rounds;
  std::size_t taken = 0;
  for (Participant& participant : participants) {
    const std::string& name = participant.platform.name;
    for (std::int64_t round = 0; round < rounds; ++round) {
      const auto logs = store.load_requests(run_id, name, round);
      if (!logs) {
        return tl::unexpected(logs.error());
      }
      if (logs->size() == block_of(suite_.requests, round, rounds).size()) {
        take_block(participant, *logs);
        participant.rounds_done.insert(round);
        ++taken;
      } else if (const auto erased = store.erase_requests(run_id, name, round); !erased) {
        return erased;
      }
    }
  }
  const std::size_t all = participants.size() * static_cast<std::size_t>(rounds);
  notes.push_back(
      {fmt::format("resumed: {} of {} blocks were measured before the interruption; the "
                   "client's certificate is of the others",
                   taken, all),
       fmt::format("续测：{} 个测量块中有 {} 个在中断前测得；客户端证书只涉及其余的块", all,
                   taken)});
  return {};
}

void EvaluationRun::measure_block(Participant& participant, std::int64_t round,
                                  const std::string& run_id, const Record& record) {
  const std::string text =
      fmt::format("round {}/{}, {}", round + 1, suite_.workload.rounds, participant.platform.name);
  Measured& measured = participant.measured;
  const measure::Limits limits = limits_of(suite_.sla);
  const Record share_and_record = [&](const RequestLog& log) {
    measured.keep_share(log, limits);
    return record(log);
  };
  auto result = run_watched(participant, suite_.workload.shape, text,
                            block_of(suite_.requests, round, suite_.workload.rounds),
                            fmt::format("{}-{}", run_id, round), share_and_record);
  if (!result) {
    measured.gave_up = result.error();
    return;
  }
  measured.emulated = measured.emulated || !result->report.emulated_by.empty();
  measured.interrupted = result->report.stopped;
  measured.window += window_of(result->figures.run, result->report.ended);
  measured.health.merge(result->report.health);
  measured.figures.merge(result->figures);
}

// A store that another process holds does not end the measurement; what it lacks at the end is
// said.
std::optional<base::Error> EvaluationRun::measure(std::vector<Participant>& participants,
                                                  const std::string& run_id, store::Store* store) {
  for (Participant& participant : participants) {
    if (const auto warm = warm_up(participant, run_id); !warm) {
      participant.measured.gave_up = warm.error();
    }
  }
  std::optional<store::Writer> writer;
  if (store != nullptr) {
    writer.emplace(*store, run_id);
  }
  const std::size_t n = participants.size();
  for (std::int64_t round = 0; round < suite_.workload.rounds; ++round) {
    // Each round begins with another one, so that none always follows the same neighbour.
    for (std::size_t turn = 0; turn < n; ++turn) {
      Participant& participant = participants[(turn + static_cast<std::size_t>(round)) % n];
      if (participant.measured.gave_up || participant.rounds_done.contains(round)) {
        continue;
      }
      if (stopped()) {
        participant.measured.interrupted = true;
        continue;
      }
      measure_block(participant, round, run_id, [&](const RequestLog& log) {
        return !writer || writer->take(participant.platform.name, round, log);
      });
    }
  }
  return writer ? writer->finish() : std::nullopt;
}

base::Result<Evaluation> EvaluationRun::run(const std::string& run_id, store::Store* store) {
  Evaluation evaluation;
  evaluation.run_id = run_id;
  evaluation.started_at = base::wall_now();
  evaluation.notes = suite_.notes;
  auto participants = gather(evaluation.notes);
  if (!participants) {
    return tl::unexpected(participants.error());
  }
  if (resuming_ && store != nullptr) {
    if (auto taken = take_earlier(*participants, run_id, *store, evaluation.notes); !taken) {
      return tl::unexpected(taken.error());
    }
  }
  if (const auto tested = test_client(); !tested) {
    return tl::unexpected(tested.error());
  }
  evaluation.store_failure = measure(*participants, run_id, store);
  const bool none_reached = std::ranges::all_of(*participants, [](const Participant& p) {
    return p.measured.gave_up && p.measured.requests.empty();
  });
  if (none_reached) {
    return tl::unexpected(*participants->front().measured.gave_up);
  }
  for (Participant& participant : *participants) {
    evaluation.interrupted = evaluation.interrupted || participant.measured.interrupted;
    evaluation.platforms.push_back(
        conclude(suite_, participant.platform, std::move(participant.measured), self_test_));
  }
  rank(evaluation.platforms);
  evaluation.ended_at = base::wall_now();
  evaluation.suite = std::move(suite_);
  return evaluation;
}

bool EvaluationRun::stopped() const {
  const std::lock_guard lock(mutex_);
  return stopped_;
}

void EvaluationRun::stop() {
  const std::lock_guard lock(mutex_);
  stopped_ = true;
  if (current_ != nullptr) {
    current_->stop();
  }
  if (test_ != nullptr) {
    test_->stop();
  }
}

EvaluationRun::Where EvaluationRun::where() const {
  const std::lock_guard lock(mutex_);
  return {where_, current_ != nullptr ? std::optional(current_->progress()) : std::nullopt};
}

}  // namespace steelyard::study
