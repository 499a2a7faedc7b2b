#include "store/process_mark.h"

#include "base/text.h"

namespace steelyard::store {
namespace {

std::vector<std::string> own_parts() {
  const std::string mark = own_process_mark();
  std::vector<std::string> parts;
  for (const std::string_view part : base::split(mark, ' ')) {
    parts.emplace_back(part);
  }
  return parts;
}

bool ended_with(std::size_t part, const std::string& value) {
  std::vector<std::string> parts = own_parts();
  parts.at(part) = value;
  return has_ended(base::join(parts, " "));
}

TEST(ProcessMark, this_process_lives) {
  EXPECT_EQ(own_parts().size(), 4U);
  EXPECT_FALSE(has_ended(own_process_mark()));
}

TEST(ProcessMark, another_boot_another_start_or_no_such_process_has_ended) {
  EXPECT_TRUE(ended_with(0, "00000000-0000-0000-0000-000000000000"));
  EXPECT_TRUE(ended_with(2, "4194304")) << "above the highest PID that Linux gives";
  EXPECT_TRUE(ended_with(3, "1")) << "its PID was given out again";
}

TEST(ProcessMark, what_cannot_be_seen_counts_as_alive) {
  EXPECT_FALSE(ended_with(1, "pid:[1]"));
  EXPECT_FALSE(ended_with(2, "-1"));
  EXPECT_FALSE(ended_with(2, "x"));
  EXPECT_FALSE(has_ended(""));
  EXPECT_FALSE(has_ended("a b c"));
}

}  // namespace
}  // namespace steelyard::store
