#include "measure/realised.h"

namespace steelyard::measure {
namespace {

RequestLog asked(std::int64_t input, std::int64_t output, RequestLog log) {
  log.asked_input_tokens = input;
  log.asked_output_tokens = output;
  return log;
}

RequestLog answered(std::optional<std::int64_t> input, std::optional<std::int64_t> output,
                    TokenSource source = TokenSource::kUsage) {
  RequestLog log;
  log.input_tokens = input;
  log.output_tokens = output;
  log.token_source = source;
  return log;
}

TEST(Realised, an_answer_that_ended_early_is_a_mismatch) {
  RealisedLengths lengths;
  lengths.add(asked(100, 256, answered(104, 40)));
  lengths.add(asked(200, 256, answered(207, 256)));
  lengths.add(asked(300, 16, answered(301, 18)));
  EXPECT_EQ(lengths.osl_mismatch, 2);
  EXPECT_EQ(lengths.shorter, 1);
  EXPECT_EQ(lengths.asked_input.min, 100);
  EXPECT_EQ(lengths.asked_output.max, 256);
  EXPECT_EQ(lengths.input.mean(), 204);
  EXPECT_EQ(lengths.output.min, 18);
}

TEST(Realised, what_the_server_did_not_count_is_unknown_and_no_mismatch) {
  RealisedLengths lengths;
  lengths.add(asked(100, 256, answered(std::nullopt, 40, TokenSource::kChunks)));
  lengths.add(asked(100, 256, answered(std::nullopt, std::nullopt, TokenSource::kUnknown)));
  lengths.add(asked(100, 256, answered(std::nullopt, 256)));
  RequestLog failed = answered(1, 1);
  failed.outcome = Outcome::kTruncated;
  lengths.add(asked(50, 256, failed));
  EXPECT_EQ(lengths.unknown, 2);
  EXPECT_EQ(lengths.osl_mismatch, 0);
  EXPECT_EQ(lengths.asked_input.n, 4) << "the failed one was asked too";
  EXPECT_EQ(lengths.output.n, 1);
  EXPECT_FALSE(lengths.input.mean());
}

// A log of an older store does not say what was asked for.
TEST(Realised, what_is_not_known_any_more_is_unknown) {
  RealisedLengths lengths;
  lengths.add(answered(100, 40));
  EXPECT_EQ(lengths.unknown, 1);
  EXPECT_EQ(lengths.asked_output.n, 0);
  EXPECT_EQ(lengths.output.n, 1);
}

TEST(Realised, merged_is_as_added_to_one) {
  RealisedLengths left;
  RealisedLengths right;
  RealisedLengths all;
  for (int i = 1; i <= 9; ++i) {
    const RequestLog log = asked(10 * i, 16, answered(10 * i + 1, 10 + i));
    (i % 2 == 0 ? left : right).add(log);
    all.add(log);
  }
  left.merge(right);
  left.merge({});
  EXPECT_EQ(left.osl_mismatch, all.osl_mismatch);
  EXPECT_EQ(left.shorter, all.shorter);
  EXPECT_EQ(left.output.min, 11);
  EXPECT_EQ(left.output.max, 19);
  EXPECT_EQ(left.input.mean(), all.input.mean());
}

}  // namespace
}  // namespace steelyard::measure
