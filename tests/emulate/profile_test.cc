#include "emulate/profile.h"

#include <cmath>

namespace steelyard::emulate {
namespace {

base::Result<Profile> profile_from(const std::string& yaml) {
  const auto file = base::YamlFile::parse("p.yaml", yaml);
  if (!file) {
    return tl::unexpected(file.error());
  }
  base::YamlMap root = file->root();
  Profile profile = read_profile(root);
  return root.finish().map([&] { return profile; });
}

TEST(Profile, reads_every_key) {
  const Profile profile = profile_from(R"(
name: replicate
model: llama
ttft: {p50: 110ms, p99: 290ms}
itl: {p50: 3ms}
tokens_per_chunk: 2
default_output_tokens: 7
slots: 8
cold_start: 2s
idle_timeout: 1min
failure_rate: 0.25
failure_kind: truncated
seed: 9
)")
                              .value();
  EXPECT_EQ(profile.ttft.p99, 290 * base::kMillisecond);
  EXPECT_EQ(profile.itl.p99, 3 * base::kMillisecond);
  EXPECT_EQ(profile.tokens_per_chunk, 2);
  EXPECT_EQ(profile.idle_timeout, 60 * base::kSecond);
  EXPECT_EQ(profile.failure_kind, FailureKind::kTruncated);
  EXPECT_EQ(profile.seed, 9U);
}

TEST(Profile, names_the_place_of_a_mistake) {
  const auto line = [](const std::string& yaml) {
    const auto profile = profile_from(yaml);
    return profile ? std::string("accepted") : base::to_line(profile.error());
  };
  EXPECT_THAT(line("slotz: 8"),
              testing::AllOf(testing::HasSubstr("p.yaml:1:"), testing::HasSubstr("slots")));
  EXPECT_THAT(line("slots: 0"), testing::HasSubstr("p.yaml:1:8"));
  EXPECT_THAT(line("ttft: {p50: 110}"), testing::HasSubstr("no unit"));
  EXPECT_THAT(line("ttft: {p50: 110ms, p99: 10ms}"), testing::HasSubstr("p99 is below p50"));
  EXPECT_THAT(line("failure_rate: 2"), testing::HasSubstr("from 0 to 1"));
  EXPECT_THAT(line("failure_kind: sulk"), testing::HasSubstr("truncated"));
}

TEST(Profile, draws_have_the_percentiles_asked_for) {
  base::Random random(4);
  std::vector<base::Nanos> drawn(20'000);
  for (base::Nanos& value : drawn) {
    value = draw({100 * base::kMillisecond, 300 * base::kMillisecond}, random);
  }
  std::sort(drawn.begin(), drawn.end());
  EXPECT_NEAR(base::to_ms(drawn[10'000]), 100, 2);
  EXPECT_NEAR(base::to_ms(drawn[19'800]), 300, 15);
}

}  // namespace
}  // namespace steelyard::emulate
