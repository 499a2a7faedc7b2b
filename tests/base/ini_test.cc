#include "base/ini.h"

namespace steelyard::base {
namespace {

std::string value(const IniFile& file, const std::string& section, const std::string& key) {
  const auto* found = file.section(section);
  return found != nullptr && found->contains(key) ? found->at(key).value : "absent";
}

TEST(Ini, sections_keys_and_comments) {
  const auto file = IniFile::parse("f",
                                   "\xEF\xBB\xBF# at the top\r\n"
                                   "[default]\r\n"
                                   "Key_One = a = b # kept\r\n"
                                   "key_two:c\n"
                                   "\n"
                                   "; another\n"
                                   "[ profile x ] ; after it\n"
                                   "empty =\n")
                        .value();
  EXPECT_EQ(value(file, "default", "key_one"), "a = b # kept");
  EXPECT_EQ(value(file, "default", "key_two"), "c");
  EXPECT_EQ(value(file, "profile x", "empty"), "");
  EXPECT_EQ(value(file, "profile x", "key_one"), "absent");
  EXPECT_EQ(file.section("other"), nullptr);
  EXPECT_EQ(file.place(file.section("profile x")->at("empty").line), "f:8");
}

TEST(Ini, what_is_indented_further_belongs_to_the_key_above) {
  const auto file = IniFile::parse("f",
                                   "[default]\n"
                                   "  region = eu-west-1\n"
                                   "  s3 =\n"
                                   "    max_queue_size = 9\n"
                                   "    no key at all\n"
                                   "  output = json\n"
                                   " cli_pager =\n")
                        .value();
  EXPECT_EQ(file.section("default")->size(), 4U);
  EXPECT_EQ(value(file, "default", "s3"), "");
  EXPECT_EQ(value(file, "default", "output"), "json");
}

TEST(Ini, what_comes_again_adds_and_the_last_value_holds) {
  const auto file = IniFile::parse("f", "[a]\nx=1\ny=2\n[b]\n[a]\nx=3\n").value();
  EXPECT_EQ(value(file, "a", "x"), "3");
  EXPECT_EQ(value(file, "a", "y"), "2");
}

TEST(Ini, complaints_have_a_place_and_never_the_line) {
  struct Case {
    std::string text;
    std::string complaint;
  };
  for (const Case& each : {Case{"[a]\nSECRET\n", "f:2: neither a section nor a key with a value"},
                           Case{"[a]\n= SECRET\n", "f:2: neither a section nor a key with a value"},
                           Case{"\nkey = SECRET\n", "f:2: a key before any section"},
                           Case{"[SECRET\n", "f:1: a section that is not closed by ]"},
                           Case{"[a] SECRET\n", "f:1: a section that is not closed by ]"}}) {
    const auto file = IniFile::parse("f", each.text);
    ASSERT_FALSE(file.has_value()) << each.text;
    EXPECT_EQ(to_line(file.error()), each.complaint + " ([section] or key = value)");
  }
}

}  // namespace
}  // namespace steelyard::base
