#include "study/self_test.h"

#include <limits>
#include <thread>

namespace steelyard::study {
namespace {

constexpr double kUnpaced = std::numeric_limits<double>::infinity();

TEST(SelfTest, has_as_many_streams_as_the_load_keeps_open) {
  LoadShape closed;
  closed.closed_loop = true;
  closed.max_concurrency = 32;
  EXPECT_EQ(self_test_streams(closed, kUnpaced, 1'000), 32);
  EXPECT_EQ(self_test_streams(closed, kUnpaced, 20), 20);
  EXPECT_EQ(self_test_streams({}, 20, std::nullopt), 22);  // 1.1 s each
  EXPECT_EQ(self_test_streams({}, 0.01, std::nullopt), SelfTestRun::kFewestStreams);
  EXPECT_EQ(self_test_streams({}, 1e9, std::nullopt), SelfTestRun::kMostStreams);
  EXPECT_EQ(self_test_streams({}, kUnpaced, 300), 300);
}

// How small the errors are is for bench/; here, that both sides speak of the same tokens: a client
// that took the first event for a token, or counted from its own clock's zero, is off by far more.
TEST(SelfTest, is_near_the_truth) {
  const auto test = SelfTestRun(4).run();
  ASSERT_TRUE(test) << base::to_line(test.error());
  EXPECT_EQ(test->streams, SelfTestRun::kFewestStreams);
  EXPECT_EQ(test->requests, 48);
  EXPECT_GT(test->tokens_per_s, 0);
  EXPECT_NEAR(test->ttft.p50_ms, 0, 15);
  EXPECT_NEAR(test->itl.p50_ms, 0, 5);
}

TEST(SelfTest, can_be_stopped) {
  SelfTestRun run(2);
  std::thread stopper([&] { run.stop(); });
  const auto test = run.run();
  stopper.join();
  ASSERT_FALSE(test);
  EXPECT_THAT(base::to_line(test.error()), testing::HasSubstr("interrupted"));
}

}  // namespace
}  // namespace steelyard::study
