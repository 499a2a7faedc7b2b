#include "emulate/openai_voice.h"

#include "platform/openai_dialect.h"
#include "wire/sse.h"

namespace steelyard::emulate {
namespace {

GenerationRequest asked(std::string_view body, bool chat) {
  return parse_openai_request(body, chat).value();
}

TEST(OpenAiAnswers, reads_requests) {
  const GenerationRequest chat = asked(
      R"({"model":"m","stream":true,"stream_options":{"include_usage":true},
          "max_completion_tokens":9,"temperature":0,"ignore_eos":true,
          "messages":[{"role":"system","content":"be brief"},
                      {"role":"user","content":[{"type":"text","text":"a b c"}]}]})",
      true);
  EXPECT_TRUE(chat.stream && chat.include_usage);
  EXPECT_EQ(chat.input_tokens, 5);
  EXPECT_EQ(chat.output_tokens, 9);
  EXPECT_EQ(asked(R"({"model":"m","prompt":["one two","three"]})", false).input_tokens, 3);
  EXPECT_EQ(asked(R"({"model":"m","prompt":[1,2,3,4]})", false).input_tokens, 4);
}

TEST(OpenAiAnswers, says_what_is_wrong_with_a_request) {
  const auto complaint = [](std::string_view body) {
    const auto parsed = parse_openai_request(body, true);
    return parsed ? std::string("accepted") : parsed.error();
  };
  EXPECT_EQ(complaint("{"), "the body is not JSON");
  EXPECT_EQ(complaint("[]"), "the body is not a JSON object");
  EXPECT_THAT(complaint(R"({"messages":[]})"), testing::HasSubstr("model is required"));
  EXPECT_THAT(complaint(R"({"model":"m"})"), testing::HasSubstr("messages is required"));
  EXPECT_THAT(complaint(R"({"model":"m","messages":"hi"})"), testing::HasSubstr("a list"));
  EXPECT_THAT(complaint(R"({"model":"m","messages":[1]})"), testing::HasSubstr("role"));
  EXPECT_THAT(complaint(R"({"model":"m","max_tokens":0,"messages":[1]})"),
              testing::HasSubstr("got 0"));
  EXPECT_THAT(complaint(R"({"model":"m","stream_options":{},"messages":[1]})"),
              testing::HasSubstr("stream: true"));
}

// Our own reader is checked against recorded streams; here it checks the writer.
TEST(OpenAiAnswers, a_stream_reads_back) {
  for (const bool chat : {true, false}) {
    GenerationRequest request;
    request.chat = chat;
    request.model = "<text>\"quoted\"";
    request.include_usage = true;
    request.input_tokens = 3;
    const OpenAiStream events(request, "id-1");
    std::string stream(events.opening());
    events.append_tokens(0, 1, stream);
    events.append_tokens(1, 2, stream);
    stream += events.ending(3);
    wire::SseParser parser;
    platform::OpenAiReader reader;
    std::string text;
    bool finished = false;
    bool done = false;
    std::optional<platform::Usage> usage;
    parser.feed(stream, [&](const wire::SseEvent& event) {
      const platform::AnswerEvent read = reader.read(event.type, event.data);
      ASSERT_NE(read.kind, platform::AnswerEvent::Kind::kMalformed);
      text += read.content;
      finished = finished || read.finished;
      done = done || read.kind == platform::AnswerEvent::Kind::kDone;
      usage = read.usage ? read.usage : usage;
    });
    EXPECT_EQ(text, " the load on");
    EXPECT_TRUE(finished && done);
    ASSERT_TRUE(usage);
    EXPECT_EQ(usage->input_tokens, 3);
    EXPECT_EQ(usage->output_tokens, 3);
  }
}

TEST(OpenAiAnswers, a_whole_answer_reads_back) {
  GenerationRequest request = asked(R"({"model":"m","prompt":"a b"})", false);
  request.output_tokens = 2;
  platform::OpenAiReader reader;
  const std::string body = completion_answer(request, "x").body;
  const platform::AnswerEvent read = reader.read("", body);
  EXPECT_EQ(read.content, " the load");
  EXPECT_EQ(read.usage->output_tokens, 2);
  EXPECT_TRUE(read.finished);
}

}  // namespace
}  // namespace steelyard::emulate
