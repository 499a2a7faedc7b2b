#include "command/inspect.h"

#include "command/inspect_text.h"

#include "base/file.h"
#include "base/text.h"
#include "platform/openai_responses.h"
#include "wire/event_stream.h"

#include <nlohmann/json.hpp>

namespace steelyard::command {
namespace {

constexpr std::string_view kRole =
    "data: {\"choices\":[{\"delta\":{\"role\":\"assistant\",\"content\":\"\"}}]}\n\n";
constexpr std::string_view kHi = "data: {\"choices\":[{\"delta\":{\"content\":\"Hi\"}}]}\r\n\r\n";
constexpr std::string_view kFinish =
    "data: {\"choices\":[{\"delta\":{},\"finish_reason\":\"stop\"}]}\n\n";
constexpr std::string_view kUsage =
    "data: {\"choices\":[],\"usage\":{\"prompt_tokens\":9,\"completion_tokens\":1}}\n\n";
constexpr std::string_view kDone = "data: [DONE]\n\n";
constexpr std::string_view kError = "data: {\"error\":{\"message\":\"out of memory\"}}\n\n";

StreamFacts facts_of(std::initializer_list<std::string_view> parts) {
  std::string body;
  for (const std::string_view part : parts) {
    body += part;
  }
  return inspect_stream("s", body).value();
}

TEST(Inspect, a_whole_stream) {
  const StreamFacts facts = facts_of({kRole, kHi, kHi, kFinish, kUsage, kDone});
  EXPECT_EQ(verdict(facts), "completed");
  EXPECT_EQ(facts.events.size(), 6U);
  EXPECT_EQ(facts.first_token_event, 2);
  EXPECT_EQ(facts.content_chunks, 2);
  EXPECT_EQ(facts.empty_chunks, 3);
  EXPECT_THAT(describe(facts), testing::HasSubstr("input 9, output 1, cached input unknown"));
}

TEST(Inspect, streams_that_a_benchmark_must_count_as_failed) {
  EXPECT_THAT(verdict(facts_of({kRole, kHi})), testing::HasSubstr("truncated"));
  EXPECT_THAT(verdict(facts_of({kRole, kFinish, kDone})), testing::HasSubstr("not one token"));
  EXPECT_THAT(verdict(facts_of({kHi, "data: {\n\n", kDone})), testing::HasSubstr("not the JSON"));
  const StreamFacts error = facts_of({kRole, kHi, kError, kDone});
  EXPECT_THAT(verdict(error), testing::HasSubstr("error within the stream"));
  EXPECT_THAT(describe(error), testing::HasSubstr("out of memory"));
}

// Wherever a recording breaks off before [DONE], that is what is said of it, and the events before
// stand.
TEST(Inspect, a_stream_cut_at_any_byte_is_truncated) {
  std::string whole;
  for (const std::string_view part : {kRole, kHi, kFinish, kUsage, kDone}) {
    whole += part;
  }
  const std::size_t finished = kRole.size() + kHi.size() + kFinish.size();
  const std::size_t done = whole.size() - 2;  // a [DONE] needs no blank line
  for (std::size_t length = 6; length < done; ++length) {
    const auto facts = inspect_stream("s", whole.substr(0, length));
    if (!facts) {  // not one byte of data yet
      continue;
    }
    EXPECT_EQ(facts->malformed, 0) << length;
    const std::string said = verdict(*facts);
    const bool torn = facts->failure.find("within an event") != std::string::npos;
    const bool between = length >= finished - 2 && !torn;
    EXPECT_THAT(said, testing::HasSubstr(between ? "completed" : "truncated")) << length;
    EXPECT_TRUE(!torn || facts->cut_short);
  }
  const StreamFacts torn = facts_of({kHi, kFinish, kUsage.substr(0, 30)});
  EXPECT_EQ(verdict(torn), "failed: truncated, the stream ends within an event");
  EXPECT_THAT(describe(torn), testing::HasSubstr("the last event was cut short"));
  EXPECT_EQ(verdict(facts_of({kHi, kDone, "data: {\"cho"})), "completed") << "nothing is missing";
}

TEST(Inspect, what_no_dialect_knows_is_said) {
  const StreamFacts facts = facts_of({"data: {\"type\":\"content-delta\",\"delta\":{}}\n\n"});
  EXPECT_EQ(verdict(facts), "failed: no event is of a dialect that is known");
  EXPECT_FALSE(facts.recognised);
  const auto told = inspect_stream("s", kHi, &platform::kOpenAiResponses).value();
  EXPECT_THAT(verdict(told), testing::HasSubstr("of the dialect that was asked"));
}

TEST(Inspect, the_pages_show_what_the_example_gives) {
  const std::string root = STEELYARD_SOURCE_DIR;
  const std::string body = base::read_file(root + "/docs/examples/chat.sse").value();
  const std::string readme = base::read_file(root + "/README.md").value();
  const std::string page = base::read_file(root + "/docs/inspect.md").value();
  const std::string whole = describe(inspect_stream("chat.sse", body).value());
  for (const std::string_view line : base::split(whole, '\n')) {
    EXPECT_THAT(readme, testing::HasSubstr(line));
    EXPECT_THAT(page, testing::HasSubstr(line));
  }
  const std::string cut = describe(inspect_stream("cut.sse", body.substr(0, 1000)).value());
  for (const std::string_view line : base::split(cut, '\n')) {
    EXPECT_THAT(page, testing::HasSubstr(line));
  }
}

TEST(Inspect, what_is_no_answer_is_bad_input) {
  const auto what = [](std::string_view bytes) {
    const auto facts = inspect_stream("s", bytes);
    EXPECT_FALSE(facts) << bytes;
    return facts ? "" : facts.error().what;
  };
  EXPECT_EQ(what(""), "it is empty");
  EXPECT_EQ(what("<html>"), "text, and neither server-sent events nor JSON");
  EXPECT_EQ(what("{\"name\":\"steelyard\"}"), "JSON, and no answer of a dialect that is known");
  EXPECT_EQ(what("\x7f"
                 "ELF\x02\x01\x01"),
            "bytes that are no AWS event stream and no text");
  EXPECT_EQ(what(std::string("\0\0\0\x40\0\0\0\x10\0\0\0\0pay", 15)).substr(0, 9), "message 1");
  EXPECT_EQ(what("\x1F\x8B\x08"), "compressed (gzip)");
  EXPECT_EQ(what("HTTP/1.1 200 OK\r\ncontent-encoding: br\r\n\r\n\x01\x02"), "compressed (br)");
  EXPECT_EQ(what("HTTP/1.1 204 No Content\r\n\r\n"), "a header and no body");
  EXPECT_EQ(what(": only a comment\n\n"), "no event in it");
  EXPECT_EQ(what("0\r\n\r\n"), "chunks and nothing in them");
  EXPECT_EQ(inspect_stream("s", "<html>").error().where, "s");
}

TEST(Inspect, whole_answers) {
  const std::string answer =
      R"({"choices":[{"message":{"content":"four"},"finish_reason":"stop"}],"usage":{"prompt_tokens":3,"completion_tokens":1}})";
  const StreamFacts facts = facts_of({answer});
  EXPECT_EQ(verdict(facts), "completed");
  EXPECT_EQ(facts.framing, Shape::kWhole);
  EXPECT_EQ(facts.content, "four");
  EXPECT_EQ(facts.output_tokens, 1);
  const StreamFacts without = facts_of({R"({"generated_text":"eight by"})"});
  EXPECT_EQ(without.dialect->name, "tgi");
  EXPECT_EQ(without.output_tokens, 2);
  EXPECT_EQ(without.origin, TokenOrigin::kEstimated);
  EXPECT_EQ(verdict(facts_of({answer.substr(0, 30)})),
            "failed: truncated, the answer ends within its JSON");
  EXPECT_EQ(verdict(facts_of({R"({"choices":[]})"})), "failed: not one token came");
}

TEST(Inspect, header_text_before_the_body_and_its_chunks) {
  const std::string head =
      "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n"
      "Transfer-Encoding: chunked\r\n\r\n";
  const std::string body = fmt::format("{}{}{}", kHi, kFinish, kDone);
  const std::size_t cut = kHi.size() + 9;  // within an event
  const std::string chunked = fmt::format("{:x}\r\n{}\r\n{:X};x=y\r\n{}\r\n0\r\n\r\n", cut,
                                          body.substr(0, cut), body.size() - cut, body.substr(cut));
  for (const std::string& text : {head + chunked, head + body, chunked, body}) {
    const StreamFacts facts = facts_of({text});
    EXPECT_EQ(verdict(facts), "completed") << text;
    EXPECT_EQ(facts.content, "Hi");
    EXPECT_EQ(facts.events.size(), 3U);
    EXPECT_FALSE(facts.cut_short);
  }
  const StreamFacts torn = facts_of({head, chunked.substr(0, chunked.size() / 2)});
  EXPECT_TRUE(torn.cut_short);
  EXPECT_THAT(verdict(torn), testing::HasSubstr("truncated"));
  const StreamFacts refused = facts_of(
      {"HTTP/2 429\ncontent-type: application/json\n\n{\"error\":{\"message\":\"slow down\"}}"});
  EXPECT_EQ(verdict(refused), "failed: refused with HTTP 429");
  EXPECT_EQ(refused.error, "slow down");
  EXPECT_EQ(key_of(refused.log.outcome), "rate_limited");
  EXPECT_EQ(facts_of({"HTTP/1.1 502 Bad Gateway\r\n\r\n<html>gone</html>"}).error,
            "<html>gone</html>");
}

TEST(Inspect, other_framings) {
  const StreamFacts lines = facts_of({R"({"message":{"content":"a"},"done":false})", "\n",
                                      R"({"message":{"content":"b"},"done":true,)",
                                      R"("done_reason":"stop","eval_count":2})", "\n"});
  EXPECT_EQ(lines.dialect->name, "ollama");
  EXPECT_EQ(lines.content, "ab");
  EXPECT_EQ(lines.finish_reason, "stop");
  EXPECT_EQ(lines.output_tokens, 2);
  const StreamFacts begun = facts_of({R"({"message":{"content":"a"},"done":false})", "\n"});
  EXPECT_THAT(verdict(begun), testing::HasSubstr("truncated"));
  const StreamFacts array =
      facts_of({R"([{"candidates":[{"content":{"parts":[{"text":"a"}]}}]},)", "\r\n",
                R"({"candidates":[{"content":{"parts":[{"text":"b"}]},"finishReason":"STOP"}]}])"});
  EXPECT_EQ(array.dialect->name, "gemini");
  EXPECT_EQ(array.framing, Shape::kJsonArray);
  EXPECT_EQ(array.content, "ab");
  EXPECT_EQ(verdict(array), "completed");
}

std::string message(std::string_view kind, std::string_view type, std::string_view payload) {
  const std::string_view name = kind == "event" ? ":event-type" : ":exception-type";
  const std::vector<wire::EventStreamHeader> headers = {
      {":message-type", wire::EventStreamHeader::Type::kString, kind},
      {name, wire::EventStreamHeader::Type::kString, type}};
  std::string bytes;
  wire::append_event_stream_message(headers, payload, bytes);
  return bytes;
}

TEST(Inspect, aws_event_streams_and_what_they_carry) {
  const std::string inner = fmt::format("{}{}{}", kHi, kFinish, kDone);
  const StreamFacts sse = facts_of({message("event", "PayloadPart", inner.substr(0, 20)),
                                    message("event", "PayloadPart", inner.substr(20))});
  EXPECT_EQ(sse.dialect->name, "openai-chat");
  EXPECT_EQ(sse.inner, Shape::kSse);
  EXPECT_EQ(sse.content, "Hi");
  EXPECT_EQ(verdict(sse), "completed");
  const StreamFacts lines =
      facts_of({message("event", "PayloadPart", "{\"token\":{\"id\":5,\"text\":\"a\"}}\n{\"tok"),
                message("event", "PayloadPart",
                        "en\":{\"id\":6,\"text\":\"b\"},\"generated_text\":\"ab\"}\n")});
  EXPECT_EQ(lines.dialect->name, "tgi");
  EXPECT_EQ(lines.inner, Shape::kLines);
  EXPECT_EQ(lines.content, "ab");
  EXPECT_EQ(lines.output_tokens, 2);
  EXPECT_EQ(lines.origin, TokenOrigin::kTokenIds);
  const std::string delta = message("event", "contentBlockDelta", R"({"delta":{"text":"a"}})");
  const StreamFacts failed =
      facts_of({delta, message("exception", "throttlingException", R"({"message":"too many"})")});
  EXPECT_EQ(failed.dialect->name, "bedrock-converse");
  EXPECT_EQ(failed.error, "too many");
  EXPECT_EQ(key_of(failed.log.outcome), "error_in_band");
  const StreamFacts torn = facts_of({delta, std::string_view(delta).substr(0, 30)});
  EXPECT_EQ(verdict(torn), "failed: truncated, the stream ends within an event");
  std::string broken = delta;
  broken.back() = static_cast<char>(broken.back() ^ 1);
  EXPECT_THAT(verdict(facts_of({delta, delta, broken})), testing::HasSubstr("checksum"));
  EXPECT_THAT(inspect_stream("s", broken).error().what, testing::HasSubstr("checksum"));
}

TEST(Inspect, where_the_count_of_tokens_is_from) {
  const std::string ids =
      R"(data: {"choices":[{"text":"ab","token_ids":[7,8],"finish_reason":"length"}]})";
  const StreamFacts with_ids = facts_of({ids, "\n\n"});
  EXPECT_EQ(with_ids.origin, TokenOrigin::kTokenIds);
  EXPECT_EQ(with_ids.output_tokens, 2);
  EXPECT_EQ(with_ids.dialect->name, "openai");
  const StreamFacts counted = facts_of({kHi, kHi, kFinish});
  EXPECT_EQ(counted.origin, TokenOrigin::kChunks);
  EXPECT_EQ(counted.output_tokens, 2);
  EXPECT_THAT(describe(counted), testing::HasSubstr("2, from counted chunks: at least"));
}

TEST(Inspect, json_and_rows_say_the_same) {
  const StreamFacts facts = facts_of({kRole, kHi, kFinish, kUsage, kDone});
  const base::Json json = inspect_json("s", facts);
  EXPECT_EQ(json["verdict"], "completed");
  EXPECT_EQ(json["usage"]["output_tokens"], 1);
  EXPECT_TRUE(json["usage"]["cached_input_tokens"].is_null());
  EXPECT_EQ(json["by_definition"]["vllm"]["ttft_event"], 1);
  EXPECT_EQ(json["by_definition"]["sglang"]["ttft_event"], 2);
  EXPECT_EQ(json["event_list"].size(), 5U);
  EXPECT_EQ(json["event_list"][1]["what"], "content");
  EXPECT_EQ(json["event_list"][4]["what"], "end mark");
  EXPECT_THAT(describe_events(facts), testing::HasSubstr("\"Hi\""));
  EXPECT_THAT(describe(facts), testing::HasSubstr("event 1: vllm, evalscope\n"));
}

// Role, reasoning, content, finish, usage: each tool sees its first token elsewhere.
TEST(Inspect, says_which_event_each_tool_takes) {
  const std::string stream =
      R"(data: {"choices":[{"delta":{"role":"assistant","content":""}}]}

data: {"choices":[{"delta":{"reasoning_content":"hm"}}]}

data: {"choices":[{"delta":{"content":"yes"}}]}

data: {"choices":[{"delta":{},"finish_reason":"stop"}]}

data: {"choices":[],"usage":{"prompt_tokens":3,"completion_tokens":2}}

data: [DONE]

)";
  const StreamFacts facts = inspect_stream("s", stream).value();
  const auto by = [&](std::string_view name) {
    const measure::ToolDefinition* tool = measure::find_tool(name);
    return describe_by(std::span(&tool, 1), facts);
  };
  EXPECT_THAT(by("vllm"), testing::HasSubstr("TTFT to event 1 "));
  EXPECT_THAT(by("vllm"), testing::HasSubstr("E2E  to event 4 "));
  EXPECT_THAT(by("vllm"), testing::HasSubstr("ITL  3 samples"));
  EXPECT_THAT(by("sglang"), testing::HasSubstr("TTFT to event 2 "));
  EXPECT_THAT(by("sglang"), testing::HasSubstr("E2E  to event 5 "));
  EXPECT_THAT(by("inference-perf"), testing::HasSubstr("TTFT to event 3 "));
  EXPECT_THAT(by("guidellm"), testing::HasSubstr("E2E  to the last byte "));
}

}  // namespace
}  // namespace steelyard::command
