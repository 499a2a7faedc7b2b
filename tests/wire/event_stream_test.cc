#include "wire/event_stream.h"

#include "base/random.h"

namespace steelyard::wire {
namespace {

using Type = EventStreamHeader::Type;
using testing::ElementsAre;
using testing::HasSubstr;

struct Header {
  std::string name;
  Type type;
  std::string value;
  bool operator==(const Header&) const = default;
};
struct Message {
  std::vector<Header> headers;
  std::string payload;
  bool operator==(const Message&) const = default;
};
struct Parsed {
  std::vector<Message> messages;
  std::string error;
  bool operator==(const Parsed&) const = default;
};

Message copy_of(const EventStreamMessage& message) {
  Message copy{{}, std::string(message.payload)};
  std::string_view rest = message.headers;
  while (const auto header = take_header(rest)) {
    copy.headers.push_back({std::string(header->name), header->type, std::string(header->value)});
  }
  return copy;
}

// `cuts` ascending positions where a read ends.
Parsed parse(std::string_view bytes, const std::vector<std::size_t>& cuts = {}) {
  EventStreamReader reader;
  Parsed parsed;
  const auto keep = [&](const EventStreamMessage& message) {
    parsed.messages.push_back(copy_of(message));
  };
  std::size_t from = 0;
  for (const std::size_t cut : cuts) {
    reader.feed(bytes.substr(from, cut - from), keep);
    from = cut;
  }
  reader.feed(bytes.substr(from), keep);
  reader.finish();
  parsed.error = reader.error();
  return parsed;
}

std::string encoded(const std::vector<Message>& messages) {
  std::string bytes;
  for (const Message& message : messages) {
    std::vector<EventStreamHeader> headers;
    for (const Header& header : message.headers) {
      headers.push_back({header.name, header.type, header.value});
    }
    append_event_stream_message(headers, message.payload, bytes);
  }
  return bytes;
}

std::string from_hex(std::string_view hex) {
  std::string bytes;
  for (std::size_t i = 0; i + 1 < hex.size(); i += 2) {
    bytes += static_cast<char>(std::stoi(std::string(hex.substr(i, 2)), nullptr, 16));
  }
  return bytes;
}

// One event of SageMaker's InvokeEndpointWithResponseStream, its payload cut within a line of the
// container's own stream. The bytes were made apart from this program and read by botocore 1.43.11.
const std::string& sagemaker_bytes() {
  static const std::string bytes = from_hex(
      "0000007300000059c9e7ac26"
      "0b3a6576656e742d7479706507000b5061796c6f616450617274"
      "0d3a636f6e74656e742d747970650700186170706c69636174696f6e2f6f637465742d73747265616d"
      "0d3a6d6573736167652d747970650700056576656e74"
      "646174613a207b2261221703448d");
  return bytes;
}

Message sagemaker_message() {
  return {{{":event-type", Type::kString, "PayloadPart"},
           {":content-type", Type::kString, "application/octet-stream"},
           {":message-type", Type::kString, "event"}},
          "data: {\"a\""};
}

TEST(EventStream, a_message_of_sagemaker_is_read_and_written) {
  EXPECT_EQ(parse(sagemaker_bytes()), (Parsed{{sagemaker_message()}, ""}));
  EXPECT_EQ(encoded({sagemaker_message()}), sagemaker_bytes());
}

TEST(EventStream, a_message_may_be_empty) {
  EXPECT_EQ(parse(encoded({{}, {{}, "x"}, {}})), (Parsed{{{}, {{}, "x"}, {}}, ""}));
}

TEST(EventStream, headers_are_found_by_name_and_strings_told_from_the_rest) {
  std::string bytes;
  const std::vector<EventStreamHeader> headers = {{":message-type", Type::kString, "exception"},
                                                  {":exception-type", Type::kString, "Throttled"},
                                                  {"yes", Type::kTrue, ""},
                                                  {"byte", Type::kByte, "\xCF"},
                                                  {"short", Type::kInt16, {"\x00\x2A", 2}},
                                                  {"int", Type::kInt32, "\xFF\xFF\xFF\xFE"},
                                                  {"at", Type::kTimestamp, {"\0\0\0\0\0\0\1\0", 8}},
                                                  {"raw", Type::kBytes, "12"}};
  append_event_stream_message(headers, "{}", bytes);
  int seen = 0;
  EventStreamReader reader;
  reader.feed(bytes, [&](const EventStreamMessage& message) {
    ++seen;
    EXPECT_EQ(message.text(":message-type"), "exception");
    EXPECT_EQ(message.text(":exception-type"), "Throttled");
    EXPECT_EQ(message.text(":error-code"), "");
    EXPECT_EQ(message.text("raw"), "");
    EXPECT_EQ(message.find("yes")->type, Type::kTrue);
    EXPECT_EQ(message.find("yes")->number(), std::nullopt);
    EXPECT_EQ(message.find("byte")->number(), -49);
    EXPECT_EQ(message.find("short")->number(), 42);
    EXPECT_EQ(message.find("int")->number(), -2);
    EXPECT_EQ(message.find("at")->number(), 256);
    EXPECT_FALSE(message.find("absent").has_value());
  });
  EXPECT_EQ(seen, 1);
}

// Every kind of message there is, of sizes around the reader's own limits.
std::vector<Message> random_messages(base::Random& random) {
  constexpr std::array<std::size_t, 10> kSizes = {0, 0, 1, 2, 4, 8, 0, 0, 8, 16};
  const auto noise = [&](std::int64_t size) {
    std::string bytes;
    for (std::int64_t i = 0; i < size; ++i) {
      bytes += static_cast<char>(random.integer(0, 255));
    }
    return bytes;
  };
  std::vector<Message> messages(static_cast<std::size_t>(random.integer(0, 4)));
  for (Message& message : messages) {
    message.payload = noise(random.integer(0, 60));
    for (std::int64_t i = random.integer(0, 5); i > 0; --i) {
      const auto type = static_cast<Type>(random.integer(0, 9));
      const bool free = type == Type::kBytes || type == Type::kString;
      const auto size = static_cast<std::int64_t>(kSizes[static_cast<std::size_t>(type)]);
      message.headers.push_back(
          {noise(random.integer(1, 12)), type, noise(free ? random.integer(0, 300) : size)});
    }
  }
  return messages;
}

TEST(EventStream, what_is_written_is_read_whatever_the_cuts) {
  base::Random random(41);
  for (int round = 0; round < 300; ++round) {
    const std::vector<Message> messages = random_messages(random);
    const std::string bytes = encoded(messages);
    const Parsed whole{messages, ""};
    ASSERT_EQ(parse(bytes), whole);
    std::vector<std::size_t> cuts;
    for (std::size_t at = 0; at < bytes.size(); ++at) {
      if (random.uniform() < 0.05) {
        cuts.push_back(at);
      }
    }
    ASSERT_EQ(parse(bytes, cuts), whole);
  }
}

TEST(EventStream, every_cut_gives_the_same_messages) {
  const std::string bytes = encoded({sagemaker_message(), {}, sagemaker_message()});
  const Parsed whole{{sagemaker_message(), {}, sagemaker_message()}, ""};
  std::vector<std::size_t> each_byte;
  for (std::size_t cut = 0; cut <= bytes.size(); ++cut) {
    each_byte.push_back(cut);
    EXPECT_EQ(parse(bytes, {cut}), whole) << "cut at " << cut;
  }
  EXPECT_EQ(parse(bytes, each_byte), whole);
}

TEST(EventStream, an_end_within_a_message_is_told_from_one_between_two) {
  const std::string bytes = sagemaker_bytes() + sagemaker_bytes();
  EXPECT_EQ(parse(bytes.substr(0, 115)).error, "");
  for (std::size_t size = 116; size < bytes.size(); ++size) {
    const Parsed cut = parse(bytes.substr(0, size));
    EXPECT_EQ(cut.messages.size(), 1U);
    EXPECT_EQ(cut.error,
              fmt::format("message 2 of the event stream: the stream ended {} bytes into it",
                          size - 115));
  }
}

TEST(EventStream, one_wrong_bit_anywhere_is_noticed) {
  for (std::size_t at = 0; at < sagemaker_bytes().size(); ++at) {
    std::string bytes = sagemaker_bytes();
    bytes[at] = static_cast<char>(bytes[at] ^ 0x10);
    const Parsed broken = parse(bytes + sagemaker_bytes());
    EXPECT_THAT(broken.messages, testing::IsEmpty());
    EXPECT_THAT(broken.error, HasSubstr(at < 12 ? "prelude checksum" : "message checksum")) << at;
    EXPECT_EQ(parse(bytes + sagemaker_bytes(), {at}), broken);
  }
}

TEST(EventStream, a_wrong_checksum_is_shown_beside_the_right_one) {
  std::string bytes = sagemaker_bytes();
  bytes.back() = '\0';
  EXPECT_EQ(parse(sagemaker_bytes() + bytes).error,
            "message 2 of the event stream: message checksum mismatch: it says 17034400, its bytes "
            "give 1703448d");
}

// A frame whose lengths say what they like, with the checksum that belongs to them: from Python's
// zlib.crc32.
TEST(EventStream, lengths_that_cannot_be_are_refused_at_once) {
  struct Case {
    std::string prelude;
    std::string error;
  };
  for (const Case& each :
       {Case{"0000000f00000000e77248b8", "a length of 15 bytes does not hold 0"},
        Case{"0000002000000011ce53d09f", "a length of 32 bytes does not hold 17"},
        Case{"00030011000200017dc99f3e", "131073 bytes of headers and 65536 of"},
        Case{"01800011000000007c1e8b37", "25165825 of payload"},
        Case{"ffffffff00000000ffffffff", "4294967279 of payload"}}) {
    EXPECT_THAT(parse(from_hex(each.prelude)).error, HasSubstr(each.error)) << each.prelude;
    EXPECT_EQ(parse(from_hex(each.prelude), {3, 7}), parse(from_hex(each.prelude)));
  }
}

TEST(EventStream, the_largest_message_is_taken) {
  const std::string payload(EventStreamReader::kLongestPayload, 'x');
  EXPECT_EQ(parse(encoded({{{}, payload}}), {1, 100}), (Parsed{{{{}, payload}}, ""}));
}

// Well framed, with the checksums that belong to them, and headers that are none. Made with
// Python's zlib.crc32.
TEST(EventStream, headers_that_are_not_well_formed_are_refused) {
  for (const std::string frame : {
           "0000001200000002910c7aa70b3a5e393667",          // ends within a name
           "0000001400000004f72f2a3200070000712b5900",      // no name
           "0000001300000003db6b638101610affab9622",        // type 10
           "000000160000000663e1187e01610700056158b9f5ea",  // ends within a string
           "0000001400000004f72f2a3201610700ca8c1f30",      // ends within a length
           "0000001400000004f72f2a3201610500f8ba7db2",      // ends within a number
           "0000001200000002910c7aa70161586f5691",          // no type
       }) {
    EXPECT_EQ(parse(from_hex(frame)).error,
              "message 1 of the event stream: the header at byte 0 of its headers is not well "
              "formed")
        << frame;
  }
  EXPECT_THAT(parse(from_hex("00000018000000083b698b180161070001620161cf67d9f8")).error,
              HasSubstr("the header at byte 6 of its headers"));
}

TEST(EventStream, after_a_reset_another_stream_is_read) {
  EventStreamReader reader;
  int messages = 0;
  const auto count = [&](const EventStreamMessage&) { ++messages; };
  EXPECT_FALSE(reader.feed(std::string(16, 'x'), count));
  EXPECT_FALSE(reader.feed(sagemaker_bytes(), count));
  EXPECT_FALSE(reader.finish());
  EXPECT_EQ(messages, 0);
  reader.reset();
  EXPECT_TRUE(reader.feed(sagemaker_bytes(), count));
  EXPECT_TRUE(reader.finish());
  EXPECT_EQ(messages, 1);
}

}  // namespace
}  // namespace steelyard::wire
