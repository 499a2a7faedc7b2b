// Event streams that others made: the vectors of aws-sdk-go-v2 and bodies that Bedrock really sent.
// They are not part of the project; where a folder is absent the test says what it passed over.
#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "base/encoding.h"
#include "base/file.h"
#include "base/json.h"
#include "base/text.h"
#include "wire/event_stream.h"

namespace steelyard::wire {
namespace {

namespace fs = std::filesystem;
using base::Json;
using Type = EventStreamHeader::Type;

fs::path folder() {
  const char* named = std::getenv("STEELYARD_SHARED");
  const fs::path shared = named != nullptr ? named : STEELYARD_SOURCE_DIR "/../shared";
  return shared / "data/eventstream";
}

std::vector<fs::path> files_in(const fs::path& under, const std::string& ending = "") {
  std::vector<fs::path> files;
  std::error_code absent;
  for (const auto& entry : fs::directory_iterator(folder() / under, absent)) {
    if (entry.path().string().ends_with(ending)) {
      files.push_back(entry.path());
    }
  }
  std::ranges::sort(files);
  return files;
}

std::string read(const fs::path& file) { return base::read_file(file.string()).value(); }

std::string message_of(const std::string& bytes, std::size_t cut, Json& into,
                       Json (*of)(const EventStreamMessage&)) {
  EventStreamReader reader;
  const auto keep = [&](const EventStreamMessage& message) { into.push_back(of(message)); };
  reader.feed(std::string_view(bytes).substr(0, cut), keep);
  reader.feed(std::string_view(bytes).substr(cut), keep);
  reader.finish();
  return reader.error();
}

Json value_of(const EventStreamHeader& header) {
  if (header.type == Type::kTrue || header.type == Type::kFalse) {
    return header.type == Type::kTrue;
  }
  const auto number = header.number();
  return number ? Json(*number) : Json(base::base64(header.value));
}

// As the vectors' own decoded form has it.
Json vector_form(const EventStreamMessage& message) {
  Json headers = Json::array();
  for (std::string_view rest = message.headers; const auto header = take_header(rest);) {
    headers.push_back({{"name", header->name},
                       {"type", static_cast<int>(header->type)},
                       {"value", value_of(*header)}});
  }
  return {{"headers", headers}, {"payload", base::base64(message.payload)}};
}

Json bedrock_form(const EventStreamMessage& message) {
  Json headers = Json::object();
  for (std::string_view rest = message.headers; const auto header = take_header(rest);) {
    headers[std::string(header->name)] = header->value;
  }
  return {{"headers", headers}, {"payload", base::parse_json(message.payload).value()}};
}

#define SKIP_WITHOUT(files, what)                                                              \
  if ((files).empty()) {                                                                       \
    GTEST_SKIP() << "0 " << (what) << " in " << folder() << " (STEELYARD_SHARED): all passed " \
                 << "over";                                                                    \
  }

TEST(RecordedEventStreams, the_right_vectors_are_read_as_decoded) {
  const auto files = files_in("aws-sdk-go-v2/encoded/positive");
  SKIP_WITHOUT(files, "vectors");
  for (const fs::path& file : files) {
    SCOPED_TRACE(file.filename());
    Json expected =
        base::parse_json(read(folder() / "aws-sdk-go-v2/decoded/positive" / file.filename()))
            .value();
    const std::string bytes = read(file);
    for (std::size_t cut = 0; cut <= bytes.size(); ++cut) {
      Json messages;
      EXPECT_EQ(message_of(bytes, cut, messages, vector_form), "");
      ASSERT_EQ(messages.size(), 1U);
      EXPECT_EQ(messages[0]["headers"], expected["headers"]);
      EXPECT_EQ(messages[0]["payload"], expected["payload"]);
    }
  }
}

TEST(RecordedEventStreams, the_wrong_vectors_are_refused_for_their_reason) {
  const auto files = files_in("aws-sdk-go-v2/encoded/negative");
  SKIP_WITHOUT(files, "vectors");
  for (const fs::path& file : files) {
    SCOPED_TRACE(file.filename());
    const std::string reason = base::lower(
        base::trim(read(folder() / "aws-sdk-go-v2/decoded/negative" / file.filename())));
    const std::string bytes = read(file);
    for (std::size_t cut = 0; cut <= bytes.size(); ++cut) {
      Json messages;
      EXPECT_THAT(message_of(bytes, cut, messages, vector_form), testing::HasSubstr(reason));
      EXPECT_TRUE(messages.empty());
    }
  }
}

TEST(RecordedEventStreams, what_bedrock_sent_is_read_as_decoded_whatever_the_cut) {
  const auto files = files_in("bedrock-recorded", ".bin");
  SKIP_WITHOUT(files, "recorded streams");
  for (const fs::path& file : files) {
    SCOPED_TRACE(file.filename());
    const std::string bytes = read(file);
    fs::path decoded = file;
    const Json expected =
        base::parse_json(read(decoded.replace_extension(".decoded.json"))).value();
    for (std::size_t cut = 0; cut <= bytes.size(); cut += cut == 0 ? 1 : 7) {
      Json messages;
      EXPECT_EQ(message_of(bytes, cut, messages, bedrock_form), "");
      ASSERT_EQ(messages, expected) << "cut at " << cut;
    }
  }
}

// What is written from what was read is the same, byte for byte.
TEST(RecordedEventStreams, are_written_as_they_were) {
  auto files = files_in("aws-sdk-go-v2/encoded/positive");
  const auto recorded = files_in("bedrock-recorded", ".bin");
  files.insert(files.end(), recorded.begin(), recorded.end());
  SKIP_WITHOUT(files, "vectors and recorded streams");
  for (const fs::path& file : files) {
    SCOPED_TRACE(file.filename());
    const std::string bytes = read(file);
    std::string again;
    EventStreamReader reader;
    reader.feed(bytes, [&](const EventStreamMessage& message) {
      std::vector<EventStreamHeader> headers;
      for (std::string_view rest = message.headers; const auto header = take_header(rest);) {
        headers.push_back(*header);
      }
      append_event_stream_message(headers, message.payload, again);
    });
    EXPECT_EQ(again, bytes);
  }
}

}  // namespace
}  // namespace steelyard::wire
