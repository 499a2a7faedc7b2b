#include "measure/realised.h"

namespace steelyard::measure {
namespace {

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
  lengths.add(100, 256, answered(104, 40));
  lengths.add(200, 256, answered(207, 256));
  lengths.add(300, 16, answered(301, 18));
  EXPECT_EQ(lengths.osl_mismatch, 2);
  EXPECT_EQ(lengths.shorter, 1);
  EXPECT_EQ(lengths.asked_input.min, 100);
  EXPECT_EQ(lengths.asked_output.max, 256);
  EXPECT_EQ(lengths.input.mean(), 204);
  EXPECT_EQ(lengths.output.min, 18);
}

TEST(Realised, what_the_server_did_not_count_is_unknown_and_no_mismatch) {
  RealisedLengths lengths;
  lengths.add(100, 256, answered(std::nullopt, 40, TokenSource::kChunks));
  lengths.add(100, 256, answered(std::nullopt, std::nullopt, TokenSource::kUnknown));
  lengths.add(100, 256, answered(std::nullopt, 256));
  RequestLog failed = answered(1, 1);
  failed.outcome = Outcome::kTruncated;
  lengths.add(50, 256, failed);
  EXPECT_EQ(lengths.unknown, 2);
  EXPECT_EQ(lengths.osl_mismatch, 0);
  EXPECT_EQ(lengths.asked_input.n, 4) << "the failed one was asked too";
  EXPECT_EQ(lengths.output.n, 1);
  EXPECT_FALSE(lengths.input.mean());
}

}  // namespace
}  // namespace steelyard::measure
