#include "study/sla_gate.h"

#include "made_up_log.h"

namespace steelyard::study {
namespace {

using measure::RequestLog;

constexpr base::Nanos kMs = base::kMillisecond;

Sla sla_of(std::vector<std::string> terms, double target = 0.99) {
  Sla sla;
  sla.target = target;
  for (const std::string& term : terms) {
    sla.terms.push_back(quantity::parse_sla_term("", term).value());
  }
  return sla;
}

// `quick` requests of 10 ms to the first token and `slow` ones of 100 ms.
std::vector<RequestLog> logs_of(std::size_t quick, std::size_t slow) {
  std::vector<RequestLog> logs(quick, completed({.ttft = 10 * kMs}));
  logs.resize(quick + slow, completed({.ttft = 100 * kMs}));
  return logs;
}

SlaVerdict judged(const Sla& sla, const std::vector<RequestLog>& logs) {
  // In two halves: a tally is merged from the parts of a run.
  SlaTally first(sla);
  SlaTally second(sla);
  for (const RequestLog& log : logs) {
    (&log - logs.data() < 3 ? first : second).add(log, measure::metrics_of(log));
  }
  first.merge(second);
  return first.verdict(measure::summarise(logs));
}

TEST(SlaGate, a_share_that_is_just_reached_is_met) {
  // 99.9 % has no binary fraction: 999 of 1,000 must meet it all the same, and 998 must not.
  for (const auto& [target, due] : std::vector<std::pair<const char*, std::size_t>>{
           {"90%", 10}, {"95%", 20}, {"99%", 100}, {"99.9%", 1000}, {"97.5%", 40}, {"70%", 10}}) {
    const double share = quantity::parse_share("", target).value();
    const auto misses =
        static_cast<std::size_t>(std::llround((1 - share) * static_cast<double>(due)));
    const Sla sla = sla_of({"ttft<50ms"}, share);
    EXPECT_TRUE(judged(sla, logs_of(due - misses, misses)).met) << target;
    EXPECT_FALSE(judged(sla, logs_of(due - misses - 1, misses + 1)).met) << target;
    const std::string percentile(target, std::string_view(target).size() - 1);
    const Sla by_percentile = sla_of({fmt::format("ttft.p{}<50ms", percentile)});
    EXPECT_TRUE(judged(by_percentile, logs_of(due - misses, misses)).met) << target;
    EXPECT_FALSE(judged(by_percentile, logs_of(due - misses - 1, misses + 1)).met) << target;
  }
}

TEST(SlaGate, all_of_them_is_all_of_them) {
  const Sla sla = sla_of({"ttft<50ms"}, 1);
  EXPECT_TRUE(judged(sla, logs_of(1000, 0)).met);
  const SlaVerdict verdict = judged(sla, logs_of(99'999, 1));
  EXPECT_FALSE(verdict.met);
  EXPECT_EQ(verdict.reasons.at(0).text_en,
            "ttft<50ms: 99999 of 100000 due requests met it (99.999 %), 100 % are asked for");
}

TEST(SlaGate, a_threshold_is_met_below_it_and_not_at_it) {
  EXPECT_TRUE(judged(sla_of({"ttft<10.001ms"}), logs_of(5, 0)).met);
  EXPECT_FALSE(judged(sla_of({"ttft<10ms"}), logs_of(5, 0)).met);
}

TEST(SlaGate, terms_of_single_requests_hold_together) {
  // Half meet the one, the other half the other: none misses both, and yet half is all there is.
  std::vector<RequestLog> logs(5, completed({.ttft = 10 * kMs, .itl = 50 * kMs}));
  logs.resize(10, completed({.ttft = 100 * kMs, .itl = 1 * kMs}));
  const SlaVerdict verdict = judged(sla_of({"ttft<50ms", "tpot<20ms"}, 0.5), logs);
  EXPECT_FALSE(verdict.met);
  EXPECT_EQ(verdict.attainment.met, 0);
  EXPECT_EQ(verdict.reasons.at(0).text_en,
            "ttft<50ms, tpot<20ms: 0 of 10 due requests met it (0 %), 50 % are asked for");
}

TEST(SlaGate, a_percentile_has_its_own_share) {
  const Sla sla = sla_of({"ttft.p50<50ms", "e2e<1s"}, 1);
  const SlaVerdict half = judged(sla, logs_of(5, 5));
  EXPECT_TRUE(half.met) << "half is what p50 asks for, and the target is that of e2e";
  EXPECT_EQ(half.attainment.met, 5) << "a good request is below the threshold all the same";
  EXPECT_FALSE(judged(sla, logs_of(4, 6)).met);
}

TEST(SlaGate, a_mean_is_a_bound_on_the_run_and_no_request_s_own) {
  const Sla sla = sla_of({"ttft.mean<55.1ms"});
  const SlaVerdict verdict = judged(sla, logs_of(5, 5));
  EXPECT_TRUE(verdict.met);
  EXPECT_EQ(verdict.attainment.met, 10);
  EXPECT_EQ(judged(sla, logs_of(4, 6)).reasons.at(0).text_en,
            "ttft.mean<55.1ms: the mean is 64 ms");
}

TEST(SlaGate, a_failure_is_a_miss) {
  std::vector<RequestLog> logs = logs_of(98, 0);
  logs.resize(100, failed(0, measure::Outcome::kTimeout, "no end"));
  const SlaVerdict verdict = judged(sla_of({"ttft.p99<50ms"}), logs);
  EXPECT_FALSE(verdict.met);
  EXPECT_EQ(verdict.attainment.due, 100);
  EXPECT_EQ(verdict.attainment.met, 98);
}

TEST(SlaGate, nothing_completed_meets_nothing) {
  const std::vector<RequestLog> logs(3, failed(0, measure::Outcome::kConnection, "refused"));
  for (const std::vector<RequestLog>& none : {logs, std::vector<RequestLog>()}) {
    const SlaVerdict verdict = judged(sla_of({"e2e<1d"}), none);
    EXPECT_FALSE(verdict.met);
    EXPECT_EQ(verdict.reasons.at(0).text_en, "no request completed");
    EXPECT_EQ(verdict.reasons.at(0).text_zh, "没有任何请求成功");
  }
}

}  // namespace
}  // namespace steelyard::study
