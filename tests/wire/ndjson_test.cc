#include "wire/ndjson.h"

#include "base/random.h"

namespace steelyard::wire {
namespace {

using Lines = std::vector<std::string>;
using testing::ElementsAre;
using testing::IsEmpty;

struct Parsed {
  Lines lines;
  bool unended = false;
  bool operator==(const Parsed&) const = default;
};

// `cuts` ascending positions where a read ends.
Parsed parse(std::string_view bytes, const std::vector<std::size_t>& cuts = {}) {
  NdjsonSplitter splitter;
  Parsed parsed;
  const auto keep = [&](std::string_view line) { parsed.lines.emplace_back(line); };
  std::size_t from = 0;
  for (const std::size_t cut : cuts) {
    splitter.feed(bytes.substr(from, cut - from), keep);
    from = cut;
  }
  splitter.feed(bytes.substr(from), keep);
  parsed.unended = splitter.finish(keep);
  return parsed;
}

TEST(Ndjson, lines_end_in_lf_or_crlf_and_blank_ones_are_passed_over) {
  EXPECT_THAT(parse("{\"a\":1}\n{\"b\":2}\r\n\n\r\n \t\r\n{}\n").lines,
              ElementsAre("{\"a\":1}", "{\"b\":2}", "{}"));
  EXPECT_THAT(parse("\n\r\n").lines, IsEmpty());
}

TEST(Ndjson, a_carriage_return_alone_is_white_space_of_json) {
  EXPECT_THAT(parse("{\"a\":\r1}\n").lines, ElementsAre("{\"a\":\r1}"));
}

TEST(Ndjson, a_last_line_without_its_end_is_given_and_marked) {
  EXPECT_EQ(parse("{}\n{\"done\":true}"), (Parsed{{"{}", "{\"done\":true}"}, true}));
  EXPECT_EQ(parse("{}\n{}\r"), (Parsed{{"{}", "{}"}, true}));
  EXPECT_EQ(parse("{}\n"), (Parsed{{"{}"}, false}));
  EXPECT_EQ(parse("{}\n  "), (Parsed{{"{}"}, false}));
  EXPECT_EQ(parse(""), Parsed{});
}

TEST(Ndjson, every_split_gives_the_same_lines) {
  const std::string bytes = "{\"response\":\"中\"}\r\n\n\r\n  \n{\"a\":\r1}\n{\"done\":true}\r";
  const Parsed whole = parse(bytes);
  ASSERT_EQ(whole.lines.size(), 3U);
  std::vector<std::size_t> each_byte;
  for (std::size_t cut = 0; cut <= bytes.size(); ++cut) {
    each_byte.push_back(cut);
    EXPECT_EQ(parse(bytes, {cut}), whole) << "cut at " << cut;
  }
  EXPECT_EQ(parse(bytes, each_byte), whole);
}

TEST(Ndjson, noise_is_split_invariant) {
  base::Random random(37);
  constexpr std::string_view kLetters = "\r\n\n {}a";
  for (int round = 0; round < 2000; ++round) {
    std::string bytes;
    for (int i = 0; i < 40; ++i) {
      bytes += kLetters[static_cast<std::size_t>(
          random.integer(0, static_cast<std::int64_t>(kLetters.size()) - 1))];
    }
    const auto cut =
        static_cast<std::size_t>(random.integer(0, static_cast<std::int64_t>(bytes.size())));
    EXPECT_EQ(parse(bytes, {cut}), parse(bytes)) << testing::PrintToString(bytes);
  }
}

TEST(Ndjson, a_runaway_line_is_refused_and_a_reset_forgets_it) {
  NdjsonSplitter splitter;
  Lines lines;
  const auto keep = [&](std::string_view line) { lines.emplace_back(line); };
  const std::string half(NdjsonSplitter::kLongestLine / 2, 'x');
  EXPECT_TRUE(splitter.feed(half, keep));
  EXPECT_TRUE(splitter.feed(half, keep));
  EXPECT_FALSE(splitter.feed("x", keep));
  EXPECT_TRUE(splitter.overflowed());
  EXPECT_FALSE(splitter.finish(keep));
  splitter.reset();
  EXPECT_TRUE(splitter.feed("{}\n", keep));
  EXPECT_THAT(lines, ElementsAre("{}"));
}

}  // namespace
}  // namespace steelyard::wire
