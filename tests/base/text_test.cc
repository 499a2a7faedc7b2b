#include "base/text.h"

#include "base/error.h"
#include "base/secret.h"

namespace steelyard::base {
namespace {

TEST(Text, chinese_is_two_columns_wide) {
  EXPECT_EQ(display_width("首字延迟 P99"), 12U);
  EXPECT_EQ(pad("首字", 6), "首字  ");
  EXPECT_EQ(pad("7", 3, Align::kRight), "  7");
}

TEST(Text, escape_sequences_take_no_room) { EXPECT_EQ(display_width("\x1b[1mok\x1b[0m"), 2U); }

TEST(Text, shortening_never_cuts_a_character) {
  EXPECT_EQ(shorten("首字延迟", 5), "首字…");
  EXPECT_EQ(shorten("abc", 3), "abc");
}

TEST(Text, invalid_bytes_become_the_replacement_character) {
  EXPECT_EQ(valid_utf8("a\xFFz"), "a\xEF\xBF\xBDz");
  EXPECT_EQ(valid_utf8("\xE4\xB8\xAD"), "中");
  EXPECT_EQ(valid_utf8("\xE4\xB8"), "\xEF\xBF\xBD\xEF\xBF\xBD");
}

TEST(Text, nearest_finds_a_typo_and_refuses_a_stranger) {
  const std::vector<std::string_view> known = {"request-rate", "num-prompts"};
  EXPECT_EQ(nearest("requst-rate", known), "request-rate");
  EXPECT_EQ(nearest("zzz", known), "");
}

TEST(Text, control_characters_are_told_from_letters) {
  for (const char* text :
       {"a\x1b[2J", "a\nb", "\x7f", "\xC2\x85", "\xE2\x80\xAE", "\xE2\x81\xA6"}) {
    EXPECT_TRUE(has_control(text)) << text;
  }
  for (const char* text : {"", "a b", "模型", "مزود", "🚀", "é", "\xFF"}) {
    EXPECT_FALSE(has_control(text)) << text;
  }
}

TEST(Error, is_one_line_that_moves_no_cursor) {
  EXPECT_EQ(to_line({ErrorCode::kBadInput, "a", "b\r\n\x1b[2J", "c\td"}), "a: b   [2J (c d)");
}

TEST(Secret, is_masked_wherever_a_server_echoes_it) {
  EXPECT_EQ(redact("bad key sk-1 (sk-1)", Secret("sk-1")), "bad key *** (***)");
}

}  // namespace
}  // namespace steelyard::base
