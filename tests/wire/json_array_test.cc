#include "wire/json_array.h"

namespace steelyard::wire {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

struct Parsed {
  std::vector<std::string> elements;
  bool fed = true;
  bool whole = false;
  std::string rest;
  bool operator==(const Parsed&) const = default;
};

Parsed parse(std::string_view bytes, std::size_t cut = 0) {
  JsonArraySplitter splitter;
  Parsed parsed;
  const auto keep = [&](std::string_view element) { parsed.elements.emplace_back(element); };
  splitter.feed(bytes.substr(0, cut), keep);
  parsed.fed = splitter.feed(bytes.substr(cut), keep);
  parsed.whole = splitter.finish();
  parsed.rest = splitter.rest();
  return parsed;
}

constexpr std::string_view kTwo = "[{\"a\":\"}]\\\"{\"}\r\n,\r\n{\"b\":[{},[1]]}\n]\n";

TEST(JsonArray, an_object_each_whatever_the_cut) {
  const Parsed whole = parse(kTwo);
  EXPECT_THAT(whole.elements, ElementsAre("{\"a\":\"}]\\\"{\"}", "{\"b\":[{},[1]]}"));
  EXPECT_TRUE(whole.fed && whole.whole);
  for (std::size_t cut = 0; cut <= kTwo.size(); ++cut) {
    EXPECT_EQ(parse(kTwo, cut), whole) << cut;
  }
  EXPECT_THAT(parse(" [ ] ").elements, IsEmpty());
  EXPECT_TRUE(parse("[]").whole);
}

TEST(JsonArray, one_that_breaks_off) {
  const Parsed cut = parse("[{\"a\":1},{\"b\":");
  EXPECT_THAT(cut.elements, ElementsAre("{\"a\":1}"));
  EXPECT_TRUE(cut.fed && !cut.whole);
  EXPECT_EQ(cut.rest, "{\"b\":");
  EXPECT_FALSE(parse("[{\"a\":1}").whole) << "its own bracket is missing";
}

TEST(JsonArray, what_is_none) {
  EXPECT_FALSE(parse("{\"a\":1}").fed);
  EXPECT_FALSE(parse("[1,2]").fed);
  EXPECT_FALSE(parse("[{}] x").fed);
}

}  // namespace
}  // namespace steelyard::wire
