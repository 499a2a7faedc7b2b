#include "base/yaml_reader.h"

namespace steelyard::base {
namespace {

YamlMap parsed(const std::string& text) { return YamlFile::parse("s.yaml", text)->root(); }

TEST(YamlReader, reads_values_of_their_kind) {
  YamlMap root = parsed("name: demo\nrounds: 3\nrate: 1.5\nlist: [a, b]\nsla: {target: 99%}\n");
  EXPECT_EQ(root.text("name"), "demo");
  EXPECT_EQ(root.integer("rounds"), 3);
  EXPECT_DOUBLE_EQ(root.number("rate"), 1.5);
  EXPECT_EQ(root.texts("list").size(), 2U);
  EXPECT_EQ(root.map("sla").text("target"), "99%");
  EXPECT_TRUE(root.finish().has_value());
}

TEST(YamlReader, names_the_place_and_the_nearest_key_of_an_unknown_one) {
  YamlMap root = parsed("name: x\nplatfroms: []\n");
  root.text("name");
  root.maybe_maps("platforms");
  const Status status = root.finish();
  ASSERT_FALSE(status.has_value());
  EXPECT_EQ(to_line(status.error()),
            "s.yaml:2:1: unknown key \"platfroms\" (did you mean \"platforms\"?)");
}

TEST(YamlReader, names_a_wrong_kind_with_its_column) {
  YamlMap root = parsed("rounds: many\n");
  root.integer("rounds");
  EXPECT_EQ(to_line(root.finish().error()), "s.yaml:1:9: expected a whole number, found \"many\"");
}

TEST(YamlReader, names_a_missing_key) {
  YamlMap root = parsed("sla: {}\n");
  root.map("sla").text("target");
  EXPECT_EQ(to_line(root.finish().error()), "s.yaml:1:6: \"target\" is missing");
}

TEST(YamlReader, names_the_place_of_a_syntax_error) {
  const auto broken = YamlFile::parse("s.yaml", "a: [1, 2\nb: 3\n");
  ASSERT_FALSE(broken.has_value());
  EXPECT_EQ(broken.error().where.substr(0, 8), "s.yaml:2");
  EXPECT_THAT(broken.error().what, testing::HasSubstr("not valid YAML"));
}

TEST(YamlReader, refuses_a_key_that_stands_twice) {
  YamlMap root = parsed("a: 1\na: 2\n");
  root.integer("a");
  EXPECT_EQ(to_line(root.finish().error()), "s.yaml:2:1: the key \"a\" stands twice");
}

TEST(YamlReader, nesting_without_end_is_bad_input) {
  for (const std::string_view open : {"[", "{a: "}) {
    std::string text = "a: ";
    for (int i = 0; i < 100'000; ++i) {
      text += open;
    }
    const auto read = YamlFile::parse("s.yaml", text);
    ASSERT_FALSE(read);
    EXPECT_EQ(read.error().code, ErrorCode::kBadInput);
    EXPECT_THAT(read.error().where, testing::StartsWith("s.yaml"));
  }
}

}  // namespace
}  // namespace steelyard::base
