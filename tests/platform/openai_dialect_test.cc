#include "platform/openai_dialect.h"

#include "base/random.h"

namespace steelyard::platform {
namespace {

using Kind = AnswerEvent::Kind;

TEST(OpenAiDialect, role_finish_and_usage_chunks_bear_no_tokens) {
  OpenAiReader reader;
  EXPECT_FALSE(reader.read("", R"({"choices":[{"delta":{"role":"assistant","content":""}}]})")
                   .bears_tokens());
  const AnswerEvent finish =
      reader.read("", R"({"choices":[{"delta":{},"finish_reason":"stop"}]})");
  EXPECT_TRUE(finish.finished);
  EXPECT_FALSE(finish.bears_tokens());
  const AnswerEvent usage =
      reader.read("", R"({"choices":[],"usage":{"prompt_tokens":7,"completion_tokens":15,
          "prompt_tokens_details":{"cached_tokens":4},"completion_tokens_details":null}})");
  ASSERT_TRUE(usage.usage);
  EXPECT_EQ(usage.usage->input_tokens, 7);
  EXPECT_EQ(usage.usage->output_tokens, 15);
  EXPECT_EQ(usage.usage->cached_input_tokens, 4);
  EXPECT_FALSE(usage.usage->reasoning_tokens);
  EXPECT_FALSE(usage.bears_tokens());
}

TEST(OpenAiDialect, content_of_chat_completions_and_whole_answers) {
  OpenAiReader reader;
  EXPECT_EQ(reader.read("", R"({"choices":[{"delta":{"content":"Hi"}}]})").content, "Hi");
  EXPECT_EQ(reader.read("", R"({"choices":[{"text":" world","finish_reason":null}]})").content,
            " world");
  const AnswerEvent whole = reader.read(
      "",
      R"({"choices":[{"message":{"role":"assistant","content":"中文"},"finish_reason":"length"}]})");
  EXPECT_EQ(whole.content, "中文");
  EXPECT_TRUE(whole.finished);
}

TEST(OpenAiDialect, reasoning_in_either_spelling_counts_once) {
  OpenAiReader reader;
  const AnswerEvent both = reader.read(
      "", R"({"choices":[{"delta":{"reasoning":"so","reasoning_content":"so","content":null}}]})");
  EXPECT_EQ(both.reasoning, "so");
  EXPECT_TRUE(both.content.empty());
  EXPECT_EQ(reader.read("", R"({"choices":[{"delta":{"reasoning":"so"}}]})").reasoning, "so");
}

TEST(OpenAiDialect, tool_calls_bear_tokens_once_they_have_a_name_or_arguments) {
  OpenAiReader reader;
  EXPECT_TRUE(reader
                  .read("", R"({"choices":[{"delta":{"tool_calls":[{"index":0,"function":
                              {"arguments":"{\"a"}}]}}]})")
                  .bears_tokens());
  EXPECT_FALSE(
      reader.read("", R"({"choices":[{"delta":{"tool_calls":[{"index":0}]}}]})").bears_tokens());
}

TEST(OpenAiDialect, unknown_usage_is_absent_and_never_zero) {
  OpenAiReader reader;
  EXPECT_FALSE(reader.read("", R"({"choices":[],"usage":null})").usage);
  const AnswerEvent partial =
      reader.read("", R"({"choices":[],"usage":{"prompt_tokens":3,"completion_tokens":null}})");
  EXPECT_EQ(partial.usage->input_tokens, 3);
  EXPECT_FALSE(partial.usage->output_tokens);
}

TEST(OpenAiDialect, errors_in_every_shape) {
  OpenAiReader reader;
  const auto error = [&](std::string_view type, std::string_view data) {
    const AnswerEvent event = reader.read(type, data);
    EXPECT_EQ(event.kind, Kind::kError) << data;
    return std::string(event.error);
  };
  EXPECT_EQ(error("", R"({"error":{"message":"out of memory","code":500}})"), "out of memory");
  EXPECT_EQ(error("", R"({"error":"overloaded"})"), "overloaded");
  EXPECT_EQ(error("", R"({"error":{"code":7}})"), R"({"error":{"code":7}})");
  EXPECT_EQ(error("", R"({"object":"error","message":"no such model"})"), "no such model");
  EXPECT_EQ(error("error", R"({"message":"gone"})"), "gone");
  EXPECT_EQ(error("error", "plain words"), "plain words");
  EXPECT_EQ(reader.read("", R"({"error":null,"choices":[{"text":"x"}]})").content, "x");
}

TEST(OpenAiDialect, done_and_malformed) {
  OpenAiReader reader;
  EXPECT_EQ(reader.read("", "[DONE]").kind, Kind::kDone);
  EXPECT_EQ(reader.read("", " [DONE] ").kind, Kind::kDone);
  for (const std::string_view broken : {"", "{", "[1]", "data", "{\"choices\":[{]}"}) {
    EXPECT_EQ(reader.read("", broken).kind, Kind::kMalformed) << broken;
  }
}

TEST(OpenAiDialect, an_invalid_byte_is_replaced_and_fails_nothing) {
  OpenAiReader reader;
  const AnswerEvent event = reader.read("",
                                        "{\"choices\":[{\"text\":\"a\xff"
                                        "b\"}]}");
  EXPECT_EQ(event.kind, Kind::kChunk);
  EXPECT_EQ(event.content,
            "a\xEF\xBF\xBD"
            "b");
}

TEST(OpenAiDialect, an_event_larger_than_a_read_buffer) {
  OpenAiReader reader;
  const std::string text(300000, 'x');
  EXPECT_EQ(reader.read("", "{\"choices\":[{\"text\":\"" + text + "\"}]}").content, text);
}

// As Mistral's thinking models stream it.
TEST(OpenAiDialect, content_of_parts) {
  OpenAiReader reader;
  const AnswerEvent thought = reader.read("", R"({"choices":[{"delta":{"content":[
      {"type":"thinking","thinking":[{"type":"text","text":"Hm"}]}]}}]})");
  EXPECT_EQ(thought.reasoning, "Hm");
  EXPECT_EQ(thought.content, "");
  const AnswerEvent both = reader.read("", R"({"choices":[{"delta":{"content":[
      {"type":"thinking","thinking":[]},{"type":"text","text":"4"}]}}]})");
  EXPECT_EQ(both.reasoning, "");
  EXPECT_EQ(both.content, "4");
  for (const char* odd : {"[]", "[1]", R"([{"thinking":1}])", R"([{"thinking":[1]}])", "{}"}) {
    const AnswerEvent event =
        reader.read("", fmt::format(R"({{"choices":[{{"delta":{{"content":{}}}}}]}})", odd));
    EXPECT_EQ(event.kind, Kind::kChunk);
    EXPECT_FALSE(event.bears_tokens()) << odd;
  }
}

// As Groq gives it where stream_options were not asked for.
TEST(OpenAiDialect, usage_in_x_groq) {
  OpenAiReader reader;
  const auto usage_of = [&](const std::string& fields) {
    return reader.read("", R"({"choices":[],)" + fields + "}").usage;
  };
  const std::string groq =
      R"("x_groq":{"id":"r","usage":{"prompt_tokens":21,"completion_tokens":988}})";
  EXPECT_EQ(usage_of(groq)->output_tokens, 988);
  EXPECT_EQ(usage_of(R"("usage":null,)" + groq)->output_tokens, 988);
  EXPECT_EQ(usage_of(R"("usage":{"completion_tokens":9},)" + groq)->output_tokens, 9);
  EXPECT_FALSE(usage_of(R"("x_groq":{"id":"r"})"));
}

TEST(OpenAiDialect, an_event_nested_without_end_is_malformed) {
  const std::string open(100'000, '[');
  const std::string close(100'000, ']');
  for (const std::string& data :
       {open, open + close, R"({"choices":)" + open + close + "}",
        R"({"choices":[{"delta":{"content":"a"}}],"x":)" + open + close + "}"}) {
    OpenAiReader reader;
    EXPECT_EQ(reader.read("", data).kind, Kind::kMalformed);
    EXPECT_EQ(reader.read("", R"({"choices":[{"text":"a"}]})").content, "a") << "reads on";
  }
}

// Wrong types and cut or flipped bytes anywhere must not crash; the sanitizers watch.
TEST(OpenAiDialect, survives_mangled_events) {
  const std::string good =
      R"({"id":"1","choices":[{"index":0,"delta":{"content":"a","tool_calls":[{"function":{"name":"f"}}]},
          "finish_reason":null}],"usage":{"prompt_tokens":1,"completion_tokens":2.0}})";
  base::Random random(23);
  OpenAiReader reader;
  for (int round = 0; round < 20000; ++round) {
    std::string mangled = good.substr(
        0, static_cast<std::size_t>(random.integer(0, static_cast<std::int64_t>(good.size()))));
    if (!mangled.empty() && round % 2 == 0) {
      mangled = good;
      const auto at =
          static_cast<std::size_t>(random.integer(0, static_cast<std::int64_t>(good.size()) - 1));
      mangled[at] = static_cast<char>(random.integer(0, 255));
    }
    (void)reader.read(round % 3 == 0 ? "error" : "", mangled);
  }
}

}  // namespace
}  // namespace steelyard::platform
