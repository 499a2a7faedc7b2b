// What the log makes of the dialect's events: how many tokens a chunk brought, and who says so.
#include "load/stream_log.h"

#include "answers.h"
#include "measure/request_metrics.h"
#include "platform/openai_dialect.h"
#include "wire/sse.h"

namespace steelyard::load {
namespace {

constexpr base::Nanos kGap = 100 * base::kMillisecond;

// Events 100 ms apart, the first of them 100 ms after the send.
measure::RequestLog log_of(const std::vector<std::string>& events) {
  StreamLog stream;
  measure::RequestLog log;
  platform::OpenAiReader reader;
  wire::SseParser parser;
  base::Nanos at = 0;
  for (const std::string& one : events) {
    at += kGap;
    parser.feed(one, [&](const wire::SseEvent& event) {
      stream.take(reader.read(event.type, event.data), at, log);
    });
  }
  log.end_at = at;
  stream.finish(log);
  return log;
}

std::vector<std::uint32_t> tokens_of(const measure::RequestLog& log) {
  std::vector<std::uint32_t> tokens;
  for (const measure::ChunkEvent& chunk : log.chunks) {
    tokens.push_back(chunk.tokens);
  }
  return tokens;
}

TEST(StreamLog, usage_in_every_chunk_counts_each) {
  const auto log =
      log_of({counted("a", 3), counted("b", 3), counted("cd", 5), finish(), usage(7, 5), kDone});
  EXPECT_EQ(tokens_of(log), (std::vector<std::uint32_t>{3, 0, 2, 0, 0}));
  EXPECT_EQ(log.output_tokens, 5);
  EXPECT_EQ(log.input_tokens, 7);
}

// Some servers put the usage beside the last piece of text: it counts the whole answer then.
TEST(StreamLog, usage_in_the_last_chunk_alone_is_not_that_chunks) {
  const auto log = log_of({content("a"), content("b"), counted("c", 30), finish(), kDone});
  EXPECT_EQ(tokens_of(log), (std::vector<std::uint32_t>{0, 0, 0, 0}));
  EXPECT_EQ(log.output_tokens, 30);
  int gaps = 0;
  measure::for_each_gap(log, [&](base::Nanos gap, std::uint32_t tokens) {
    EXPECT_EQ(tokens, 10U);
    EXPECT_EQ(gap, kGap);
    ++gaps;
  });
  EXPECT_EQ(gaps, 2);
}

TEST(StreamLog, a_count_that_goes_back_takes_nothing_away) {
  const auto log = log_of({counted("a", 5), counted("b", 2), counted("c", 6), finish(), kDone});
  EXPECT_EQ(tokens_of(log), (std::vector<std::uint32_t>{5, 0, 1, 0}));
}

TEST(StreamLog, three_chunks_of_five_tokens) {
  const auto log =
      log_of({content("abcde"), content("fghij"), content("klmno"), finish(), usage(1, 15), kDone});
  EXPECT_EQ(measure::inter_chunk_latencies(log), (std::vector<base::Nanos>{kGap, kGap}));
  EXPECT_NEAR(*measure::metrics_of(log).tpot_ns, 200e6 / 14, 1);
  measure::for_each_gap(log, [](base::Nanos, std::uint32_t tokens) { EXPECT_EQ(tokens, 5U); });
}

TEST(StreamLog, everything_in_one_chunk_has_no_time_between_tokens) {
  for (const std::int64_t tokens : {1, 50}) {
    const auto log = log_of({content("all"), finish(), usage(1, tokens), kDone});
    EXPECT_EQ(measure::metrics_of(log).ttft, kGap);
    EXPECT_FALSE(measure::metrics_of(log).tpot_ns);
  }
}

TEST(StreamLog, the_role_starts_no_token_and_reasoning_does) {
  const auto log = log_of({delta(R"("role":"assistant","content":"")"),
                           delta(R"("reasoning":"hm")"), content("a"), finish(), kDone});
  EXPECT_EQ(measure::metrics_of(log).ttft, 2 * kGap);
  EXPECT_EQ(measure::metrics_of(log).ttfo, 3 * kGap);
}

}  // namespace
}  // namespace steelyard::load
