#include "emulate/truth_tally.h"

#include <nlohmann/json.hpp>

#include "base/json.h"
#include "emulate/truth.h"

namespace steelyard::emulate {
namespace {

using base::Json;

std::optional<measure::Percentile> percentile_ms(const measure::Histogram& histogram, double q) {
  const auto value = histogram.percentile(q);
  return value ? std::optional(measure::Percentile{base::to_ms(*value), {}, {}}) : std::nullopt;
}

Json at_or_null(base::Nanos at) { return at > 0 ? Json(at) : Json(nullptr); }

}  // namespace

measure::Distribution Tally::distribution() const {
  measure::Distribution distribution;
  distribution.n = static_cast<std::int64_t>(histogram_.count());
  if (distribution.n > 0) {
    distribution.mean = sum_ / 1e6 / static_cast<double>(distribution.n);
  }
  distribution.p50 = percentile_ms(histogram_, 0.50);
  distribution.p90 = percentile_ms(histogram_, 0.90);
  distribution.p99 = percentile_ms(histogram_, 0.99);
  return distribution;
}

TruthTally::Reply TruthTally::begin(base::Nanos arrival) {
  ++requests_;
  Reply reply;
  reply.arrival = arrival;
  reply.era = era_;
  return reply;
}

void TruthTally::wrote(Reply& reply, base::Nanos at, std::int64_t tokens) {
  const base::Nanos before = reply.last;
  reply.last = at;
  reply.tokens += tokens;
  const bool first = reply.first == 0;
  if (first) {
    reply.first = at;
  }
  if (!counts(reply)) {
    return;
  }
  output_tokens_ += tokens;
  if (first) {
    ttft_.record(at - reply.arrival);
    itl_.record(0, static_cast<std::uint64_t>(tokens - 1));  // written together
    return;
  }
  itl_.record((at - before) / tokens, static_cast<std::uint64_t>(tokens));
}

void TruthTally::wrote_whole(Reply& reply, std::int64_t tokens) {
  reply.tokens = tokens;
  output_tokens_ += counts(reply) ? tokens : 0;
}

void TruthTally::late(const Reply& reply, base::Nanos by) {
  if (counts(reply)) {
    lateness_.record(by);
  }
}

void TruthTally::blocked(const Reply& reply) { blocked_ += counts(reply) ? 1 : 0; }

void TruthTally::end(const Reply& reply, base::Nanos at, measure::Outcome outcome) {
  if (!counts(reply)) {
    return;
  }
  if (outcome == measure::Outcome::kCompleted) {
    ++completed_;
    e2e_.record(at - reply.arrival);
    if (reply.tokens > 1 && reply.first > 0) {
      tpot_.record((reply.last - reply.first) / (reply.tokens - 1));
    }
  } else {
    ++failed_;
  }
  const auto place = static_cast<std::size_t>(ended_++);
  if (place < kMostRequests) {
    latest_.push_back({reply, at, outcome});
  } else {
    latest_[place % kMostRequests] = {reply, at, outcome};
  }
}

void TruthTally::clear() {
  const std::uint64_t next = era_ + 1;
  requests_ = completed_ = failed_ = output_tokens_ = blocked_ = ended_ = 0;
  for (Tally* tally : {&ttft_, &itl_, &tpot_, &e2e_, &lateness_}) {
    *tally = {};
  }
  latest_.clear();
  era_ = next;
  cleared_at_ = base::monotonic_now();
  cpu_at_clear_ = base::process_cpu_now();
}

std::string TruthTally::summary_json() const {
  const Json json = {{"requests", requests_},
                     {"completed", completed_},
                     {"failed", failed_},
                     {"open", requests_ - completed_ - failed_},
                     {"output_tokens", output_tokens_},
                     {"ttft_ms", distribution_json(ttft_.distribution())},
                     {"itl_ms", distribution_json(itl_.distribution())},
                     {"tpot_ms", distribution_json(tpot_.distribution())},
                     {"e2e_ms", distribution_json(e2e_.distribution())},
                     {"lateness_ms", distribution_json(lateness_.distribution())},
                     {"blocked_writes", blocked_},
                     {"server",
                      {{"cpu_s", base::to_seconds(base::process_cpu_now() - cpu_at_clear_)},
                       {"wall_s", base::to_seconds(base::monotonic_now() - cleared_at_)}}}};
  return base::dump_json(json);
}

std::string TruthTally::to_json() const {
  const auto kept = static_cast<std::int64_t>(latest_.size());
  Json requests = Json::array();
  for (std::int64_t i = ended_ - kept; i < ended_; ++i) {
    const Ended& one = latest_[static_cast<std::size_t>(i) % kMostRequests];
    requests.push_back({{"received_ns", one.reply.arrival},
                        {"first_token_ns", at_or_null(one.reply.first)},
                        {"last_token_ns", at_or_null(one.reply.last)},
                        {"end_ns", one.at},
                        {"outcome", measure::name_of(one.outcome)},
                        {"output_tokens", one.reply.tokens}});
  }
  Json json = {{"clock", "CLOCK_MONOTONIC"}, {"dropped", ended_ - kept}};
  json["summary"] = base::parse_json(summary_json()).value();
  json["requests"] = std::move(requests);
  return base::dump_json(json);
}

}  // namespace steelyard::emulate
