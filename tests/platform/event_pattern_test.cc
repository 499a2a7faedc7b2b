// Whatever a pattern knows, it must say just what the parser says.
#include <fmt/format.h>

#include "platform/openai_dialect.h"

namespace steelyard::platform {
namespace {

std::string said(const AnswerEvent& event) {
  return fmt::format("{} '{}' '{}' {} {} {} {} {}", static_cast<int>(event.kind), event.content,
                     event.reasoning, event.has_tool_call, event.known, event.finished,
                     event.usage ? event.usage->output_tokens.value_or(-1) : -2, event.error);
}

std::string chat(std::string_view raw_text, std::string_view key = "content") {
  return fmt::format(R"({{"id":"c","choices":[{{"index":0,"delta":{{"{}":"{}"}}}}],"x":"a"}})", key,
                     raw_text);
}

void expect_the_same(const std::vector<std::string>& stream) {
  OpenAiReader plain;
  OpenAiReader quick;
  StreamMemory memory;
  for (const std::string& event : stream) {
    const std::string expected = said(plain.read("", event));
    EXPECT_EQ(said(quick.read("", event, memory, true)), expected) << event;
  }
}

TEST(EventPattern, reads_as_the_parser_does) {
  expect_the_same({chat("a"), chat("b"), chat(" \u4E2D"), chat(R"(\n)"), chat(R"(\u4e2d)"),
                   chat(R"(\ud800)"), chat(""), chat("c"), chat("\xFF"), chat("a\tb"),
                   chat(R"(q\"q)"), chat("x\",\"finish_reason\":\"stop"), chat("d")});
}

TEST(EventPattern, follows_a_change_from_thought_to_answer) {
  expect_the_same({chat("a", "reasoning"), chat("b", "reasoning"), chat("c"), chat("d"),
                   chat("e", "reasoning_content"), chat("f"), chat("g", "other")});
}

TEST(EventPattern, is_not_misled_by_the_same_text_elsewhere) {
  const auto event = [](std::string_view text, std::string_view tail) {
    return fmt::format(R"({{"choices":[{{"delta":{{"content":"{}"}}}}],"tail":"{}"}})", text, tail);
  };
  expect_the_same({event("a", "a"), event("a", "b"), event("b", "a"), event("b", "b")});
  expect_the_same({R"({"choices":[{"text":"a"},{"text":"a"}]})",
                   R"({"choices":[{"text":"a"},{"text":"b"}]})",
                   R"({"choices":[{"text":""},{"text":"b"}]})"});
}

TEST(EventPattern, leaves_finish_usage_and_errors_to_the_parser) {
  expect_the_same({chat("a"), R"({"choices":[{"delta":{},"finish_reason":"stop"}]})", chat("b"),
                   R"({"choices":[],"usage":{"completion_tokens":7}})", chat("c"),
                   R"({"error":{"message":"no"}})", "[DONE]", "{", chat("d")});
}

// A field that changes with every event makes every pattern void: none is learnt for ever.
TEST(EventPattern, reads_on_when_no_event_is_like_another) {
  std::vector<std::string> stream;
  for (int i = 0; i < 100; ++i) {
    stream.push_back(
        fmt::format(R"({{"id":{},"choices":[{{"delta":{{"content":"w{}"}}}}]}})", i, i % 7));
  }
  expect_the_same(stream);
}

}  // namespace
}  // namespace steelyard::platform
