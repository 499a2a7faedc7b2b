#include "platform/recognise.h"

namespace steelyard::platform {
namespace {

std::string_view name_of(std::initializer_list<SeenEvent> events) {
  const Dialect* found = recognise(std::vector<SeenEvent>(events));
  return found == nullptr ? "none" : found->name;
}

TEST(Recognise, each_dialect_by_its_events) {
  EXPECT_EQ(name_of({{"", R"({"choices":[{"delta":{"content":"a"}}]})"}, {"", "[DONE]"}}),
            "openai-chat");
  EXPECT_EQ(name_of({{"", R"({"choices":[{"text":"a"}]})"}}), "openai");
  EXPECT_EQ(name_of({{"message_start", R"({"type":"message_start","message":{}})"}}), "anthropic");
  EXPECT_EQ(name_of({{"", R"({"type":"response.created"})"}}), "openai-responses");
  EXPECT_EQ(name_of({{"", R"({"candidates":[]})"}}), "gemini");
  EXPECT_EQ(name_of({{"", R"({"token":{"id":1,"text":"a"}})"}}), "tgi");
  EXPECT_EQ(name_of({{"", R"({"text":"a","meta_info":{"completion_tokens":1}})"}}), "sglang");
  EXPECT_EQ(name_of({{"", R"({"content":"a","stop":false})"}}), "llama.cpp");
  EXPECT_EQ(name_of({{"", R"({"message":{"content":"a"},"done":false})"}}), "ollama");
  EXPECT_EQ(name_of({{"", R"({"text_output":"a"})"}}), "triton");
  EXPECT_EQ(name_of({{"output", "any text"}, {"done", "{}"}}), "replicate");
  EXPECT_EQ(name_of({{"messageStart", R"({"role":"assistant"})"}}), "bedrock-converse");
  EXPECT_EQ(name_of({{"chunk", R"({"bytes":"eyJnZW5lcmF0aW9uIjoiYSJ9"})"}}), "bedrock-invoke");
}

TEST(Recognise, most_of_a_stream_decides_and_an_unknown_one_is_none) {
  EXPECT_EQ(name_of({{"", R"({"error":"late"})"},
                     {"", "no JSON"},
                     {"", R"({"choices":[{"delta":{"content":"a"}}]})"}}),
            "openai-chat");
  EXPECT_EQ(name_of({{"", R"({"type":"content-delta","delta":{}})"}}), "none") << "Cohere's";
  EXPECT_EQ(name_of({}), "none");
}

TEST(Recognise, whole_answers) {
  const auto name = [](std::string_view body) {
    const Dialect* found = recognise_whole(body);
    return found == nullptr ? "none" : found->name;
  };
  EXPECT_EQ(name(R"({"choices":[{"message":{"content":"a"}}]})"), "openai-chat");
  EXPECT_EQ(name(R"({"choices":[{"text":"a"}]})"), "openai");
  EXPECT_EQ(name(R"({"type":"message","content":[{"type":"text","text":"a"}]})"), "anthropic");
  EXPECT_EQ(name(R"({"output":{"message":{"content":[{"text":"a"}]}}})"), "bedrock-converse");
  EXPECT_EQ(name(R"({"generated_text":"a"})"), "tgi");
  EXPECT_EQ(name(R"({"status":"succeeded","output":["a"]})"), "replicate");
  EXPECT_EQ(name("<html>"), "none");
}

}  // namespace
}  // namespace steelyard::platform
