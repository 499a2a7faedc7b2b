#include "base/json.h"

#include <nlohmann/json.hpp>

namespace steelyard::base {
namespace {

std::string nested(std::size_t levels, const std::string& open, const std::string& close) {
  std::string text;
  for (std::size_t i = 0; i < levels; ++i) {
    text += open;
  }
  text += "1";
  for (std::size_t i = 0; i < levels; ++i) {
    text += close;
  }
  return text;
}

TEST(Json, reads_and_writes_in_order) {
  const Json json = parse_json(R"({"b": [1, 2.5], "a": "\"]{"})").value();
  EXPECT_EQ(dump_json(json), R"({"b":[1,2.5],"a":"\"]{"})");
  EXPECT_EQ(dump_json(parse_json("[1]").value(), 2), "[\n  1\n]");
}

TEST(Json, nesting_has_a_limit) {
  for (const auto& [open, close] : {std::pair("[", "]"), std::pair(R"({"a":)", "}")}) {
    Json json = parse_json(nested(kDeepestJson, open, close)).value();
    const Json copy = json;
    EXPECT_EQ(dump_json(copy), nested(kDeepestJson, open, close));
    EXPECT_EQ(parse_json(nested(kDeepestJson + 1, open, close)).error(),
              "nested deeper than 1024 levels");
    EXPECT_FALSE(parse_json(nested(1'000'000, open, close)));
  }
  EXPECT_FALSE(parse_json(std::string(100'000, '['))) << "never closed";
}

// Width is no depth, and brackets within a string are none.
TEST(Json, what_is_not_nested_is_not_counted) {
  std::string wide = "[[1]";
  for (int i = 0; i < 5000; ++i) {
    wide += ",[{}]";
  }
  EXPECT_TRUE(parse_json(wide + "]"));
  EXPECT_TRUE(parse_json('"' + std::string(5000, '[') + '"'));
  EXPECT_TRUE(parse_json(R"("\"\\)" + std::string(5000, '[') + '"'));
}

TEST(Json, what_is_no_json_says_so) {
  for (const std::string_view text : {"", "{", "]]]]", "nul", "\"abc", "{} {}", "\"\xFF\""}) {
    EXPECT_EQ(parse_json(text).error(), "not JSON") << text;
  }
}

TEST(Json, bytes_that_are_not_utf8_are_replaced_when_written) {
  EXPECT_EQ(dump_json(Json{{"k", "a\xFF\xC3"}}), "{\"k\":\"a\xEF\xBF\xBD\xEF\xBF\xBD\"}");
}

TEST(Json, the_line_of_a_fault) {
  struct Case {
    std::string text;
    std::size_t line;
  };
  for (const Case& each :
       {Case{"", 1}, Case{"x", 1}, Case{"{\n\"a\": 1,\n}", 3}, Case{"{\n\"a\"\n\n1}", 4},
        Case{"{\"a\": \"x\ny\"}", 1}, Case{"{}\n\nx", 3}, Case{"[\n1\n]", 3}}) {
    EXPECT_EQ(json_fault_line(each.text), each.line) << each.text;
  }
}

}  // namespace
}  // namespace steelyard::base
