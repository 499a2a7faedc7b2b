// Event logs without a clock.
#pragma once

#include "study/platform_result.h"

namespace steelyard::study {

struct MadeUp {
  base::Nanos sent_at = 0;
  base::Nanos ttft = 10 * base::kMillisecond;
  base::Nanos itl = 2 * base::kMillisecond;
  std::int64_t output_tokens = 10;
  std::int64_t input_tokens = 100;
};

// One token a chunk; the last byte comes with the last of them.
inline measure::RequestLog completed(const MadeUp& made) {
  measure::RequestLog log;
  log.due_at = made.sent_at;
  log.sent_at = made.sent_at;
  log.http_status = 200;
  for (std::int64_t i = 0; i < made.output_tokens; ++i) {
    log.chunks.push_back(
        {made.sent_at + made.ttft + i * made.itl, measure::ChunkKind::kContent, 0});
  }
  log.first_byte_at = log.chunks.front().at;
  log.end_at = log.chunks.back().at;
  log.input_tokens = made.input_tokens;
  log.output_tokens = made.output_tokens;
  log.token_source = measure::TokenSource::kUsage;
  return log;
}

inline measure::RequestLog failed(base::Nanos sent_at, measure::Outcome outcome,
                                  std::string words) {
  measure::RequestLog log;
  log.due_at = sent_at;
  log.sent_at = sent_at;
  log.outcome = outcome;
  log.failure = std::move(words);
  return log;
}

inline Measured measured_of(const std::vector<measure::RequestLog>& logs, const Sla& sla) {
  Measured measured(sla);
  for (const measure::RequestLog& log : logs) {
    measured.figures.add(log);
    measured.keep_share(log, limits_of(sla));
  }
  return measured;
}

}  // namespace steelyard::study
