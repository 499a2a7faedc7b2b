#include "emulate/truth.h"

#include <nlohmann/json.hpp>

#include "base/json.h"
#include "measure/summary.h"

namespace steelyard::emulate {
namespace {

using base::Json;

Json value_of(const std::optional<measure::Percentile>& percentile) {
  return percentile ? Json(percentile->value) : Json(nullptr);
}

Json summary_of(const std::vector<measure::RequestLog>& logs) {
  const measure::Summary summary = measure::summarise(logs);
  return {{"requests", summary.due},
          {"completed", summary.completed},
          {"failed", summary.failed},
          {"output_tokens", summary.output_tokens ? Json(*summary.output_tokens) : Json(nullptr)},
          {"ttft_ms", distribution_json(summary.ttft_ms)},
          {"itl_ms", distribution_json(summary.itl_ms)},
          {"tpot_ms", distribution_json(summary.tpot_ms)},
          {"e2e_ms", distribution_json(summary.e2e_ms)}};
}

Json request_json(const std::string& id, const measure::RequestLog& log) {
  Json times = Json::array();
  for (const measure::ChunkEvent& chunk : log.chunks) {
    times.push_back(chunk.at);
  }
  return {{"id", id},
          {"received_ns", log.sent_at},
          {"token_ns", times},
          {"end_ns", log.end_at ? Json(*log.end_at) : Json(nullptr)},
          {"outcome", measure::name_of(log.outcome)},
          {"input_tokens", log.input_tokens ? Json(*log.input_tokens) : Json(nullptr)},
          {"output_tokens", log.output_tokens ? Json(*log.output_tokens) : Json(nullptr)}};
}

}  // namespace

base::Json distribution_json(const measure::Distribution& distribution) {
  return {{"n", distribution.n},
          {"mean", distribution.mean ? Json(*distribution.mean) : Json(nullptr)},
          {"p50", value_of(distribution.p50)},
          {"p90", value_of(distribution.p90)},
          {"p99", value_of(distribution.p99)}};
}

void Truth::add(std::string id, measure::RequestLog log) {
  if (entries_.size() == kMostRequests) {
    entries_.pop_front();
    ++dropped_;
  }
  entries_.push_back({std::move(id), std::move(log)});
}

void Truth::clear() {
  entries_.clear();
  dropped_ = 0;
}

std::vector<measure::RequestLog> Truth::logs() const {
  std::vector<measure::RequestLog> logs;
  logs.reserve(entries_.size());
  for (const Entry& entry : entries_) {
    logs.push_back(entry.log);
  }
  return logs;
}

std::string Truth::summary_json() const { return base::dump_json(summary_of(logs())); }

std::string Truth::to_json() const {
  Json requests = Json::array();
  for (const Entry& entry : entries_) {
    requests.push_back(request_json(entry.id, entry.log));
  }
  Json json = {{"clock", "CLOCK_MONOTONIC"}, {"dropped", dropped_}};
  json["summary"] = summary_of(logs());
  json["requests"] = requests;
  return base::dump_json(json);
}

}  // namespace steelyard::emulate
