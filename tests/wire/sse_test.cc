#include "wire/sse.h"

#include "base/random.h"

namespace steelyard::wire {
namespace {

using Events = std::vector<std::pair<std::string, std::string>>;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::Pair;

struct Parsed {
  Events events;
  bool cut_short = false;
  bool operator==(const Parsed&) const = default;
};

// `cuts` ascending positions where a read ends.
Parsed parse(std::string_view bytes, const std::vector<std::size_t>& cuts = {}) {
  SseParser parser;
  Parsed parsed;
  const auto keep = [&](const SseEvent& event) {
    parsed.events.emplace_back(event.type, event.data);
  };
  std::size_t from = 0;
  for (const std::size_t cut : cuts) {
    parser.feed(bytes.substr(from, cut - from), keep);
    from = cut;
  }
  parser.feed(bytes.substr(from), keep);
  parsed.cut_short = parser.finish(keep);
  return parsed;
}

Events events_of(std::string_view bytes) { return parse(bytes).events; }

TEST(Sse, every_line_end) {
  for (const std::string_view bytes :
       {"data: A\n\ndata: B\n\n", "data: A\r\n\r\ndata: B\r\n\r\n", "data: A\r\rdata: B\r\r",
        "data: A\r\n\ndata: B\n\r\n", "data: A\n\r\ndata: B\r\n\r"}) {
    EXPECT_THAT(events_of(bytes), ElementsAre(Pair("", "A"), Pair("", "B")));
  }
}

TEST(Sse, one_space_after_the_colon_is_optional_and_only_one_is_dropped) {
  EXPECT_THAT(events_of("data:A\n\ndata:  B\n\n"), ElementsAre(Pair("", "A"), Pair("", " B")));
}

TEST(Sse, data_lines_are_joined) {
  EXPECT_THAT(events_of("data: {\"a\":\ndata: 1}\n\n"), ElementsAre(Pair("", "{\"a\":\n1}")));
}

TEST(Sse, comments_are_ignored_and_data_beside_them_kept) {
  EXPECT_THAT(events_of(": keep-alive\n\n: ping\ndata: A\n\n:\n\n"), ElementsAre(Pair("", "A")));
}

TEST(Sse, a_leading_byte_order_mark_is_dropped_and_a_later_one_is_not) {
  EXPECT_THAT(events_of("\xEF\xBB\xBF"
                        "data: A\n\n"),
              ElementsAre(Pair("", "A")));
  EXPECT_THAT(events_of("\xEF\xBB"
                        "data: A\n\ndata: B\n\n"),
              ElementsAre(Pair("", "B")));
  EXPECT_THAT(events_of("data: A\n\n\xEF\xBB\xBF"
                        "data: B\n\n"),
              ElementsAre(Pair("", "A")));
}

TEST(Sse, types_belong_to_their_event_alone) {
  EXPECT_THAT(events_of("event: error\ndata: A\n\ndata: B\n\nevent: x\n\ndata: C\n\n"),
              ElementsAre(Pair("error", "A"), Pair("", "B"), Pair("", "C")));
}

TEST(Sse, empty_data_and_other_fields_make_no_event) {
  EXPECT_THAT(events_of("data:\n\ndata\n\nid: 7\nretry: 10\n\nunknown: x\n\n"), IsEmpty());
}

TEST(Sse, an_event_that_no_blank_line_ended_is_given_and_marked) {
  const Parsed with_line_end = parse("data: A\n\ndata: B\n");
  EXPECT_THAT(with_line_end.events, ElementsAre(Pair("", "A"), Pair("", "B")));
  EXPECT_TRUE(with_line_end.cut_short);
  EXPECT_EQ(parse("data: A\n\ndata: B"), with_line_end);
  EXPECT_FALSE(parse("data: A\n\n").cut_short);
  EXPECT_FALSE(parse("").cut_short);
}

TEST(Sse, empty_data_at_the_end_is_neither_an_event_nor_a_cut) {
  EXPECT_EQ(parse("data:"), Parsed{});
  EXPECT_EQ(parse("event: x\ndata:\n"), Parsed{});
  EXPECT_EQ(parse("data: A\n\ndata:\n"), parse("data: A\n\n"));
}

TEST(Sse, a_large_event_and_split_characters_stay_whole) {
  const std::string large(200000, 'x');
  EXPECT_THAT(events_of("data: " + large + "\n\n"), ElementsAre(Pair("", large)));
  const std::string chinese = "data: 中文\n\n";
  EXPECT_THAT(parse(chinese, {7, 8, 9, 10}).events, ElementsAre(Pair("", "中文")));
}

TEST(Sse, a_runaway_line_is_refused) {
  SseParser parser;
  const std::string megabytes(8U << 20U, 'x');
  const auto ignore = [](const SseEvent&) {};
  bool taken = parser.feed("data: ", ignore);
  for (int i = 0; i < 9 && taken; ++i) {
    taken = parser.feed(megabytes, ignore);
  }
  EXPECT_FALSE(taken);
  EXPECT_TRUE(parser.overflowed());
  EXPECT_FALSE(parser.finish(ignore));
}

const std::vector<std::string>& streams() {
  static const std::vector<std::string> all = {
      "\xEF\xBB\xBF: hi\r\ndata: {\"a\":\r\ndata: 1}\r\n\r\nevent: error\rdata:中\r\rdata: x\n\n",
      "\xEF\xBBx\n\ndata:\n\ndata: a\n\n\r\n\r\r\n:c\ndata: b\revent: t\r\n\r\ndata: end",
      "\r\n\r\ndata: [DONE]\r\n\r\n\n\r"};
  return all;
}

TEST(Sse, every_split_gives_the_same_events) {
  base::Random random(29);
  for (const std::string& bytes : streams()) {
    const Parsed whole = parse(bytes);
    std::vector<std::size_t> each_byte;
    for (std::size_t cut = 0; cut <= bytes.size(); ++cut) {
      each_byte.push_back(cut);
      EXPECT_EQ(parse(bytes, {cut}), whole) << "cut at " << cut;
    }
    EXPECT_EQ(parse(bytes, each_byte), whole);
    for (int round = 0; round < 500; ++round) {
      std::vector<std::size_t> cuts;
      for (std::size_t at = 0; at < bytes.size(); ++at) {
        if (random.uniform() < 0.2) {
          cuts.push_back(at);
        }
      }
      EXPECT_EQ(parse(bytes, cuts), whole);
    }
  }
}

// Random bytes rich in the letters that matter: no crash, and no split changes anything.
TEST(Sse, noise_is_split_invariant) {
  base::Random random(31);
  constexpr std::string_view kLetters = "\r\n: dataevent\xEF\xBB\xBF";
  for (int round = 0; round < 2000; ++round) {
    std::string bytes;
    for (int i = 0; i < 60; ++i) {
      bytes += random.uniform() < 0.1
                   ? std::string("data:")
                   : std::string(1, kLetters[static_cast<std::size_t>(random.integer(
                                        0, static_cast<std::int64_t>(kLetters.size()) - 1))]);
    }
    const auto cut =
        static_cast<std::size_t>(random.integer(0, static_cast<std::int64_t>(bytes.size())));
    EXPECT_EQ(parse(bytes, {cut}), parse(bytes)) << testing::PrintToString(bytes);
  }
}

}  // namespace
}  // namespace steelyard::wire
