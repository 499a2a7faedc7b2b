#include "quantity/sla.h"

#include "base/random.h"
#include "quantity/duration.h"

namespace steelyard::quantity {
namespace {

constexpr base::Nanos ms(base::Nanos value) { return value * base::kMillisecond; }

TEST(Duration, reads_every_unit) {
  EXPECT_EQ(parse_duration("", "500ms"), ms(500));
  EXPECT_EQ(parse_duration("", " 1.5 s "), ms(1500));
  EXPECT_EQ(parse_duration("", "35us"), 35 * base::kMicrosecond);
  EXPECT_EQ(parse_duration("", "2min"), 120 * base::kSecond);
  EXPECT_EQ(parse_duration("", "2h"), 7200 * base::kSecond);
  EXPECT_EQ(parse_duration("", "0s"), 0);
}

TEST(Duration, refuses_what_is_none_with_the_reason) {
  const auto why = [](std::string_view text) { return parse_duration("--t", text).error().what; };
  EXPECT_EQ(why("500"), "\"500\" has no unit");
  EXPECT_EQ(why("5 m"), "\"5 m\" has an unknown unit");
  EXPECT_EQ(why("-5ms"), "\"-5ms\" is negative");
  for (const std::string_view text : {"", "ms", "infs", "nans", "1e3s", "5ms5", "99999d"}) {
    EXPECT_FALSE(parse_duration("", text)) << text;
  }
}

TEST(Duration, prints_what_it_reads) {
  EXPECT_EQ(to_text(ms(1500)), "1.5s");
  EXPECT_EQ(to_text(ms(500)), "500ms");
  EXPECT_EQ(to_text(base::Nanos{0}), "0s");
  base::Random random(37);
  for (int round = 0; round < 5000; ++round) {
    const base::Nanos value = random.integer(0, 1LL << random.integer(1, 55));
    EXPECT_EQ(parse_duration("", to_text(value)), value) << value;
  }
}

TEST(Sla, reads_the_three_kinds_of_term) {
  const SlaTerm each = *parse_sla_term("", "ttft<500ms");
  EXPECT_EQ(each.threshold, ms(500));
  EXPECT_FALSE(each.target());
  const SlaTerm p99 = *parse_sla_term("", "E2E.p99 < 2s");
  EXPECT_EQ(p99.metric, Metric::kE2e);
  EXPECT_DOUBLE_EQ(*p99.target(), 0.99);
  EXPECT_EQ(parse_sla_term("", "tpot.mean<50ms")->statistic, SlaTerm::Statistic::kMean);
}

TEST(Sla, prints_what_it_reads) {
  for (const std::string text : {"ttft.p99<500ms", "e2e<2s", "tpot.mean<50ms", "itl.p99.9<35us"}) {
    EXPECT_EQ(to_text(*parse_sla_term("", text)), text);
  }
}

TEST(Sla, the_goodput_form_is_in_milliseconds) {
  EXPECT_EQ(to_text(*parse_goodput_term("", "e2el:5000")), "e2e<5s");
  EXPECT_EQ(to_text(*parse_goodput_term("", "ttft:0.5")), "ttft<500us");
  EXPECT_FALSE(parse_goodput_term("", "ttft=500"));
  EXPECT_EQ(parse_goodput_term("", "ttft:500ms").error().what, "\"500ms\" is not a number");
  EXPECT_FALSE(parse_goodput_term("", "ttft:"));
  EXPECT_FALSE(parse_goodput_term("", "ttft:1.2.3"));
}

TEST(Sla, refuses_with_the_nearest_right_one) {
  EXPECT_EQ(parse_sla_term("--sla", "tfft<5ms").error().hint, "ttft");
  EXPECT_EQ(parse_sla_term("--sla", "tfft<5ms").error().where, "--sla");
  for (const std::string_view text :
       {"", "ttft", "ttft>5ms", "ttft<5", "ttft<-5ms", "ttft<0ms", "ttft.p0<5ms", "ttft.p100<5ms",
        "ttft.p<5ms", "ttft.max<5ms", "<5ms"}) {
    EXPECT_FALSE(parse_sla_term("", text)) << text;
  }
}

TEST(Sla, a_share_is_a_percentage) {
  EXPECT_DOUBLE_EQ(*parse_share("", "99 %"), 0.99);
  EXPECT_DOUBLE_EQ(*parse_share("", "100%"), 1);
  for (const std::string_view text : {"", "%", "0.99", "99", "0%", "101%", "-1%", "nan%"}) {
    EXPECT_FALSE(parse_share("", text)) << text;
  }
}

}  // namespace
}  // namespace steelyard::quantity
