#include "study/evaluation.h"

#include <fmt/format.h>

#include <algorithm>

#include "measure/bootstrap.h"
#include "study/emulator_host.h"

namespace steelyard::study {
namespace {

using measure::Outcome;
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

base::Nanos window_of(const std::vector<RequestLog>& logs) {
  const measure::Summary summary = measure::summarise(logs);
  return summary.duration_s ? base::from_seconds(*summary.duration_s) : 0;
}

std::vector<std::int64_t> tokens_of(const std::vector<RequestLog>& logs,
                                    const measure::Limits* limits) {
  std::vector<std::int64_t> tokens;
  for (const RequestLog& log : logs) {
    const bool counts =
        limits == nullptr ? log.outcome == Outcome::kCompleted : measure::meets(log, *limits);
    tokens.push_back(counts ? log.output_tokens.value_or(0) : 0);
  }
  return tokens;
}

// Throughput over the sum of the blocks: between them other platforms were measured.
void take_window(PlatformResult& result, std::uint64_t seed) {
  measure::Summary& summary = result.summary;
  const double seconds = base::to_seconds(result.window);
  if (seconds <= 0) {
    summary.duration_s.reset();
    return;
  }
  summary.duration_s = seconds;
  summary.request_throughput = static_cast<double>(summary.completed) / seconds;
  if (!summary.output_tokens) {
    return;
  }
  summary.output_throughput = static_cast<double>(*summary.output_tokens) / seconds;
  if (const auto sum = measure::sum_interval(tokens_of(result.logs, nullptr), seed)) {
    result.throughput_low = static_cast<double>(sum->low) / seconds;
    result.throughput_high = static_cast<double>(sum->high) / seconds;
  }
}

// What the platform would bill: failed requests too, as far as their usage is known.
price::Usage usage_of(const PlatformResult& result) {
  price::Usage usage;
  usage.window = result.window;
  for (const RequestLog& log : result.logs) {
    usage.input_tokens += log.input_tokens.value_or(0);
    usage.output_tokens += log.output_tokens.value_or(0);
  }
  usage.requests = result.summary.completed;
  return usage;
}

bool tokens_known(const PlatformResult& result) {
  return std::ranges::all_of(result.logs, [](const RequestLog& log) {
    return log.outcome != Outcome::kCompleted || (log.input_tokens && log.output_tokens);
  });
}

std::optional<double> published_index(const PlatformResult& result, const SuitePlatform& platform,
                                      const Suite& suite) {
  const auto* scheme = std::get_if<price::PerTime>(&platform.offer.scheme);
  const measure::Summary& summary = result.summary;
  const auto attainment = result.verdict.attainment.requests();
  if (scheme == nullptr || !summary.e2e_ms.mean || !summary.output_throughput || !attainment) {
    return std::nullopt;
  }
  quantity::Money hourly = scheme->price.of_time(3600 * base::kSecond).scaled(scheme->count, 1);
  if (suite.rates) {
    const auto converted = suite.rates->convert(hourly, suite.currency);
    hourly = converted ? *converted : hourly;
  }
  const auto index = price::cptls_as_published(hourly.amount(), *summary.e2e_ms.mean / 1e3,
                                               *summary.output_throughput, *attainment);
  return index ? std::optional(index->amount) : std::nullopt;
}

void take_cost(PlatformResult& result, const SuitePlatform& platform, const Suite& suite,
               const measure::Limits& limits) {
  const bool by_token = std::holds_alternative<price::PerToken>(platform.offer.scheme);
  if (result.logs.empty() || (by_token && !tokens_known(result))) {
    return;
  }
  price::CostBill bill = price::cost_of(platform.offer, usage_of(result));
  auto total = bill.total.currency() == suite.currency || !suite.rates
                   ? base::Result<quantity::Money>(bill.total)
                   : suite.rates->convert(bill.total, suite.currency);
  if (!total) {
    return;
  }
  CostResult cost{std::move(bill), *total, {}, {}, {}, {}, {}};
  const auto amount = [](const std::optional<price::PerMillionTokens>& price) {
    return price ? std::optional(price->amount) : std::nullopt;
  };
  cost.per_million_output_tokens =
      amount(price::cptls_of_window(*total, result.summary.output_tokens.value_or(0)));
  cost.cptls = amount(price::cptls_of_window(*total, result.verdict.attainment.good_output_tokens));
  const std::vector<std::int64_t> good = tokens_of(result.logs, &limits);
  if (const auto interval = price::cptls_interval(*total, good, suite.workload.dataset.seed)) {
    cost.cptls_low = interval->low.amount;
    cost.cptls_high = amount(interval->high);
  }
  cost.published_index = published_index(result, platform, suite);
  result.cost = std::move(cost);
}

// Ranked by CPTLS; then those that are no choice, the cheapest first.
void rank(std::vector<PlatformResult>& platforms) {
  const auto key = [](const PlatformResult& result) {
    const double price = result.cost && result.cost->cptls
                             ? *result.cost->cptls
                             : std::numeric_limits<double>::infinity();
    return std::pair(!result.feasible, price);
  };
  std::ranges::stable_sort(platforms, {}, key);
  std::int64_t next = 1;
  for (PlatformResult& result : platforms) {
    if (result.feasible) {
      result.rank = next++;
    }
  }
}

}  // namespace

struct EvaluationRun::Participant {
  SuitePlatform platform;
  std::unique_ptr<EmulatorHost> emulator;
  PlatformResult result;
  measure::ClientHealth health;
  std::optional<base::Error> gave_up;  // not asked again after that

  PlatformResult conclude(const Suite& suite) {
    const measure::Limits limits = limits_of(suite.sla);
    result.name = platform.name;
    result.summary = measure::summarise(result.logs);
    take_window(result, suite.workload.dataset.seed);
    result.verdict = judge(suite.sla, result.logs, result.summary);
    result.certificate = measure::certify(health);
    take_cost(result, platform, suite, limits);
    for (const RequestLog& log : result.logs) {
      if (log.outcome != Outcome::kCompleted) {
        result.failure_examples.try_emplace(log.outcome, log.failure);
      }
    }
    result.reasons = result.verdict.reasons;
    result.feasible = result.verdict.met && result.cost && result.cost->cptls;
    if (gave_up) {
      result.feasible = false;
      const std::string line = base::to_line(*gave_up);
      result.reasons = {{"could not be measured: " + line, "无法测量：" + line}};
    } else if (!result.cost && !result.logs.empty()) {
      result.reasons.push_back({"the server gives no token counts, so a price by token has no cost",
                                "服务端未给出 Token 数，按 Token 计价无法算出成本"});
    }
    return std::move(result);
  }
};

base::Result<std::vector<EvaluationRun::Participant>> EvaluationRun::gather(
    std::vector<Reason>& notes) {
  std::vector<Participant> participants;
  for (const SuitePlatform& platform : suite_.platforms) {
    if (platform.absent) {
      notes.push_back({fmt::format("{} was left out: {}", platform.name, platform.why_absent),
                       fmt::format("未测 {}：{}", platform.name, platform.why_absent)});
      continue;
    }
    Participant participant{platform, nullptr, {}, {}, {}};
    participant.result.emulated = platform.emulated.has_value();
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
    return base::environment_error(suite_.name, "no platform of the suite is at hand");
  }
  return participants;
}

base::Result<EndpointResult> EvaluationRun::run_watched(
    Participant& participant, const LoadShape& shape, const std::string& text,
    const std::vector<workload::Request>& requests, const std::string& run_id) {
  EndpointRun run(participant.platform.target, participant.platform.options, shape,
                  limits_of(suite_.sla));
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

base::Status EvaluationRun::warm_up(Participant& participant,
                                    const std::vector<workload::Request>& requests,
                                    const std::string& run_id) {
  const std::int64_t count = suite_.workload.warmups;
  if (count == 0) {
    return {};
  }
  LoadShape shape;
  shape.closed_loop = true;
  shape.max_concurrency = std::min(count, suite_.workload.shape.max_concurrency.value_or(1));
  const auto warm = run_watched(
      participant, shape, "warm-up, " + participant.platform.name,
      workload::warmup_requests(requests, count, suite_.workload.dataset.seed), run_id + "-warmup");
  return warm ? base::Status() : tl::unexpected(warm.error());
}

base::Status EvaluationRun::measure_block(Participant& participant, std::int64_t round,
                                          const std::vector<workload::Request>& block,
                                          const std::string& run_id, store::Store* store) {
  const std::string text =
      fmt::format("round {}/{}, {}", round + 1, suite_.workload.rounds, participant.platform.name);
  auto measured = run_watched(participant, suite_.workload.shape, text, block,
                              fmt::format("{}-{}", run_id, round));
  if (!measured) {
    participant.gave_up = measured.error();
    return {};
  }
  PlatformResult& result = participant.result;
  result.emulated = result.emulated || !measured->report.emulated_by.empty();
  result.window += window_of(measured->logs);
  participant.health.merge(measured->report.health);
  if (store != nullptr) {
    if (const auto kept = store->append(run_id, participant.platform.name, round, measured->logs);
        !kept) {
      return kept;
    }
  }
  std::ranges::move(measured->logs, std::back_inserter(result.logs));
  return {};
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
  const auto stopped = [this] {
    const std::lock_guard lock(mutex_);
    return stopped_;
  };
  for (Participant& participant : *participants) {
    if (const auto warm = warm_up(participant, suite_.requests, run_id); !warm) {
      participant.gave_up = warm.error();
    }
  }
  const std::size_t n = participants->size();
  for (std::int64_t round = 0; round < suite_.workload.rounds; ++round) {
    const std::vector<workload::Request> block =
        block_of(suite_.requests, round, suite_.workload.rounds);
    // Each round begins with another one, so that none always follows the same neighbour.
    for (std::size_t turn = 0; turn < n && !stopped(); ++turn) {
      Participant& participant = (*participants)[(turn + static_cast<std::size_t>(round)) % n];
      if (participant.gave_up) {
        continue;
      }
      if (const auto kept = measure_block(participant, round, block, run_id, store); !kept) {
        return tl::unexpected(kept.error());
      }
    }
  }
  const bool none_reached = std::ranges::all_of(
      *participants, [](const Participant& p) { return p.gave_up.has_value(); });
  if (none_reached) {
    return tl::unexpected(*participants->front().gave_up);
  }
  for (Participant& participant : *participants) {
    evaluation.platforms.push_back(participant.conclude(suite_));
  }
  rank(evaluation.platforms);
  evaluation.ended_at = base::wall_now();
  evaluation.interrupted = stopped();
  evaluation.suite = suite_;
  return evaluation;
}

void EvaluationRun::stop() {
  const std::lock_guard lock(mutex_);
  stopped_ = true;
  if (current_ != nullptr) {
    current_->stop();
  }
}

EvaluationRun::Where EvaluationRun::where() const {
  const std::lock_guard lock(mutex_);
  return {where_, current_ != nullptr ? current_->progress() : Progress{}};
}

}  // namespace steelyard::study
