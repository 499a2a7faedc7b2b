#include "quantity/rate.h"

#include <cmath>

namespace steelyard::quantity {
namespace {

TEST(Rate, is_in_requests_a_second) {
  EXPECT_EQ(parse_rate("", "10"), 10);
  EXPECT_EQ(parse_rate("", " 0.5 "), 0.5);
  EXPECT_EQ(parse_rate("", "10 req/s"), 10);
  EXPECT_EQ(parse_rate("", "10 Requests / s"), 10);
  EXPECT_EQ(parse_rate("", "600/min"), 10);
  EXPECT_EQ(parse_rate("", "3600 req/h"), 1);
  EXPECT_EQ(parse_rate("", "864000/day"), 10);
  EXPECT_TRUE(std::isinf(parse_rate("", "inf").value()));
}

TEST(Rate, refuses_what_is_none) {
  EXPECT_EQ(base::to_line(parse_rate("--request-rate", "0").error()),
            "--request-rate: \"0\" is not a rate "
            "(requests a second above 0, such as 10, 10 req/s or 600/min, or inf)");
  for (const std::string_view text :
       {"", "-1", "nan", "-inf", "infinity", "infreq", "req/s", "10 s", "10/", "10 req", "10/week",
        "1e3", "10 tok/s", "10//s"}) {
    EXPECT_FALSE(parse_rate("", text)) << text;
  }
}

}  // namespace
}  // namespace steelyard::quantity
