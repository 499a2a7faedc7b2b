#include "measure/certificate.h"

namespace steelyard::measure {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using Verdict = Certificate::Verdict;

ClientHealth healthy() {
  ClientHealth health;
  health.cpu = base::kSecond / 2;
  health.wall = base::kSecond;
  health.sends = 1'000;
  health.token_events = 1'000;
  health.read_delay.record(20 * base::kMicrosecond, 1'000);
  health.asked_rps = 100;
  health.achieved_rps = 99.9;
  return health;
}

TEST(Certificate, of_a_client_that_did_its_work) {
  const Certificate certificate = certify(healthy());
  EXPECT_EQ(certificate.verdict, Verdict::kValid);
  EXPECT_TRUE(certificate.reasons.empty());
  EXPECT_DOUBLE_EQ(*certificate.client_cpu, 0.5);
  EXPECT_NEAR(*certificate.loop_lag_us, 20, 0.01);
  EXPECT_DOUBLE_EQ(*certificate.achieved_rate, 0.999);
}

TEST(Certificate, of_one_that_did_nothing_has_no_figures) {
  const Certificate certificate = certify({});
  EXPECT_EQ(certificate.verdict, Verdict::kValid);
  EXPECT_FALSE(certificate.client_cpu || certificate.loop_lag_us || certificate.achieved_rate);
}

struct Doubt {
  const char* words;
  Verdict verdict;
  void (*ail)(ClientHealth& health);
};
class Doubts : public testing::TestWithParam<Doubt> {};

TEST_P(Doubts, are_said_and_change_the_verdict) {
  ClientHealth health = healthy();
  GetParam().ail(health);
  const Certificate certificate = certify(health);
  EXPECT_EQ(certificate.verdict, GetParam().verdict);
  EXPECT_THAT(certificate.reasons, ElementsAre(HasSubstr(GetParam().words)));
}

INSTANTIATE_TEST_SUITE_P(
    all, Doubts,
    testing::Values(
        Doubt{"used 85 % of a core", Verdict::kDegraded,
              [](ClientHealth& h) { h.cpu = 850 * base::kMillisecond; }},
        Doubt{"used 97 % of a core", Verdict::kInvalid,
              [](ClientHealth& h) { h.cpu = 970 * base::kMillisecond; }},
        Doubt{"read 2.0 ms late", Verdict::kDegraded,
              [](ClientHealth& h) { h.read_delay.record(2 * base::kMillisecond, 20); }},
        Doubt{"read 60.0 ms late", Verdict::kInvalid,
              [](ClientHealth& h) { h.read_delay.record(60 * base::kMillisecond, 20); }},
        Doubt{"2.0 % of the sends", Verdict::kDegraded, [](ClientHealth& h) { h.late_sends = 20; }},
        Doubt{"20.0 % of the sends", Verdict::kInvalid,
              [](ClientHealth& h) { h.late_sends = 200; }},
        Doubt{"99 % of the chunks", Verdict::kDegraded,
              [](ClientHealth& h) { h.coalesced_events = 990; }},
        Doubt{"10.0 % of the asked rate", Verdict::kDegraded,
              [](ClientHealth& h) { h.achieved_rps = 10; }}),
    [](const auto& named) { return fmt::format("doubt_{}", named.index); });

TEST(Certificate, a_self_test_counts_whichever_way_it_is_off) {
  SelfTest test;
  test.ttft = {0.02, 0.3};
  test.itl = {0, 0.1};
  EXPECT_EQ(certify(healthy(), test).verdict, Verdict::kValid);
  EXPECT_EQ(certify(healthy(), test).self_test->ttft.p99_ms, 0.3);
  test.ttft.p99_ms = -1.5;
  test.itl.p99_ms = 6;
  const Certificate certificate = certify(healthy(), test);
  EXPECT_EQ(certificate.verdict, Verdict::kInvalid);
  EXPECT_THAT(certificate.reasons, ElementsAre(HasSubstr("TTFT P99 was off by -1.50 ms"),
                                               HasSubstr("ITL P99 was off by 6.00 ms")));
}

TEST(ClientHealth, of_two_runs_is_their_sum) {
  ClientHealth both = healthy();
  both.merge(healthy());
  EXPECT_EQ(both.wall, 2 * base::kSecond);
  EXPECT_EQ(both.sends, 2'000);
  EXPECT_EQ(both.read_delay.count(), 2'000U);
  EXPECT_DOUBLE_EQ(*certify(both).client_cpu, 0.5);
}

}  // namespace
}  // namespace steelyard::measure
