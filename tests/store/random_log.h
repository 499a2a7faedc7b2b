// Event logs of every shape a store must give back as they were.
#pragma once

#include <limits>
#include <vector>

#include "base/random.h"
#include "measure/event_log.h"

namespace steelyard::store {

template <typename Value>
std::optional<Value> maybe(base::Random& random, Value value) {
  return random.integer(0, 3) == 0 ? std::nullopt : std::optional(value);
}

inline std::vector<measure::ChunkEvent> random_chunks(base::Random& random, base::Nanos start) {
  std::vector<measure::ChunkEvent> chunks(static_cast<std::size_t>(random.integer(0, 30)));
  base::Nanos at = start;
  for (measure::ChunkEvent& chunk : chunks) {
    at += random.integer(-1000, 1LL << random.integer(1, 40));
    chunk = {at, static_cast<measure::ChunkKind>(random.integer(0, 4)),
             static_cast<std::uint32_t>(random.integer(0, (1LL << random.integer(1, 32)) - 1))};
  }
  return chunks;
}

inline measure::RequestLog random_log(base::Random& random) {
  measure::RequestLog log;
  log.index = random.integer(0, 1LL << 40);
  log.due_at = random.integer(0, 1LL << 50);
  log.sent_at = log.due_at + random.integer(0, base::kSecond);
  log.written_at = log.sent_at - random.integer(0, base::kMillisecond);
  log.tls_handshake = maybe<base::Nanos>(random, 700'000);
  log.connect = maybe<base::Nanos>(random, 1'200'000);
  log.first_byte_at = maybe(random, log.sent_at + 5);
  log.end_at = maybe(random, log.sent_at + random.integer(5, base::kSecond));
  log.chunks = random_chunks(random, log.sent_at);
  log.streamed = random.integer(0, 1) == 0;
  log.outcome = static_cast<measure::Outcome>(
      random.integer(0, static_cast<int>(measure::Outcome::kNotStreamed)));
  log.http_status = static_cast<int>(random.integer(0, 599));
  log.input_tokens = maybe<std::int64_t>(random, random.integer(0, 1'000'000));
  log.output_tokens = maybe<std::int64_t>(random, random.integer(0, 1'000'000));
  log.token_source = static_cast<measure::TokenSource>(random.integer(0, 3));
  log.asked_input_tokens = maybe<std::int64_t>(random, random.integer(0, 1'000'000));
  log.asked_output_tokens = maybe<std::int64_t>(random, random.integer(0, 1'000'000));
  log.failure = maybe(random, std::string("429 \"slow down\" \xff 慢 \0 end", 24)).value_or("");
  return log;
}

inline std::vector<measure::RequestLog> some_logs(std::uint64_t seed, std::size_t count) {
  base::Random random(seed);
  std::vector<measure::RequestLog> logs(count);
  std::generate(logs.begin(), logs.end(), [&] { return random_log(random); });
  return logs;
}

inline void expect_equal(const measure::ChunkEvent& left, const measure::ChunkEvent& right) {
  EXPECT_EQ(left.at, right.at);
  EXPECT_EQ(left.kind, right.kind);
  EXPECT_EQ(left.tokens, right.tokens);
}

inline void expect_equal(const measure::RequestLog& left, const measure::RequestLog& right) {
  EXPECT_EQ(left.index, right.index);
  EXPECT_EQ(left.due_at, right.due_at);
  EXPECT_EQ(left.sent_at, right.sent_at);
  EXPECT_EQ(left.written_at, right.written_at);
  EXPECT_EQ(left.connect, right.connect);
  EXPECT_EQ(left.tls_handshake, right.tls_handshake);
  EXPECT_EQ(left.first_byte_at, right.first_byte_at);
  EXPECT_EQ(left.end_at, right.end_at);
  EXPECT_EQ(left.streamed, right.streamed);
  EXPECT_EQ(left.outcome, right.outcome);
  EXPECT_EQ(left.http_status, right.http_status);
  EXPECT_EQ(left.input_tokens, right.input_tokens);
  EXPECT_EQ(left.output_tokens, right.output_tokens);
  EXPECT_EQ(left.token_source, right.token_source);
  EXPECT_EQ(left.asked_input_tokens, right.asked_input_tokens);
  EXPECT_EQ(left.asked_output_tokens, right.asked_output_tokens);
  EXPECT_EQ(left.failure, right.failure);
  ASSERT_EQ(left.chunks.size(), right.chunks.size());
  for (std::size_t i = 0; i < left.chunks.size(); ++i) {
    expect_equal(left.chunks[i], right.chunks[i]);
  }
}

}  // namespace steelyard::store
