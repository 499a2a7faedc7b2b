// The protocols of hosted services that are not OpenAI's chat: shapes from their own documentation
// and from recorded streams (named in src/platform's headers), written anew.
#include "base/encoding.h"
#include "platform/anthropic.h"
#include "platform/bedrock.h"
#include "platform/gemini.h"
#include "platform/openai_responses.h"

#include <nlohmann/json.hpp>

namespace steelyard::platform {
namespace {

using Kind = AnswerEvent::Kind;

template <typename Reader>
struct Reading {
  Reader reader;
  StreamMemory memory;
  std::string data;
  AnswerEvent operator()(std::string_view type, std::string text) {
    data = std::move(text);
    return reader.read(type, data, memory, true);
  }
  AnswerEvent operator()(std::string text) { return (*this)("", std::move(text)); }
};

base::Json body_in(const Dialect& dialect, const std::string& model) {
  RequestOptions options;
  options.dialect = &dialect;
  options.model = model;
  options.temperature = 0.5;
  std::string body;
  body_template(options).write({}, "hi", 7, body);
  return base::parse_json(body).value();
}

std::string path_in(const Dialect& dialect, const std::string& model, bool stream = true) {
  RequestOptions options;
  options.model = model;
  options.stream = stream;
  return dialect.path(options);
}

TEST(Anthropic, counts_stand_at_both_ends_and_what_a_cache_held_is_put_to_the_input) {
  Reading<AnthropicReader> read;
  const AnswerEvent start = read(
      "message_start",
      R"({"type":"message_start","message":{"content":[],"usage":{"input_tokens":5,"cache_creation_input_tokens":20,"cache_read_input_tokens":300,"output_tokens":1}}})");
  EXPECT_TRUE(start.known && start.has_choice && !start.bears_tokens());
  EXPECT_EQ(start.usage->input_tokens, 325);
  EXPECT_EQ(start.usage->cached_input_tokens, 300);
  EXPECT_EQ(start.usage->output_tokens, std::nullopt) << "a beginning, not the answer's length";
  const AnswerEvent end = read(
      R"({"type":"message_delta","delta":{"stop_reason":"max_tokens"},"usage":{"output_tokens":9}})");
  EXPECT_TRUE(end.finished && !end.bears_tokens());
  EXPECT_EQ(end.finish_reason, "max_tokens");
  EXPECT_EQ(end.usage->input_tokens, std::nullopt) << "not said again";
  Usage both = *start.usage;
  both.update(*end.usage);
  EXPECT_EQ(both.input_tokens, 325);
  EXPECT_EQ(both.output_tokens, 9);
  EXPECT_EQ(read(R"({"type":"message_stop"})").kind, Kind::kDone);
}

TEST(Anthropic, what_of_a_block_is_a_token) {
  Reading<AnthropicReader> read;
  const auto delta = [&](const std::string& inner) {
    return read(R"({"type":"content_block_delta","index":0,"delta":)" + inner + "}   ");
  };
  EXPECT_EQ(delta(R"({"type":"text_delta","text":"a\nb"})").content, "a\nb");
  EXPECT_EQ(delta(R"({"type":"thinking_delta","thinking":"hm"})").reasoning, "hm");
  EXPECT_TRUE(delta(R"({"type":"input_json_delta","partial_json":"{"})").has_tool_call);
  EXPECT_FALSE(delta(R"({"type":"input_json_delta","partial_json":""})").bears_tokens());
  EXPECT_FALSE(delta(R"({"type":"signature_delta","signature":"Eu"})").bears_tokens());
  const auto block = [&](const std::string& inner) {
    return read(R"({"type":"content_block_start","index":0,"content_block":)" + inner + "}");
  };
  EXPECT_FALSE(block(R"({"type":"text","text":""})").bears_tokens());
  EXPECT_FALSE(block(R"({"type":"redacted_thinking","data":"Eq"})").bears_tokens());
  EXPECT_TRUE(block(R"({"type":"tool_use","id":"t","name":"sum","input":{}})").has_tool_call);
  const AnswerEvent ping = read("ping", R"({"type": "ping"})");
  EXPECT_TRUE(ping.known && !ping.has_choice && !ping.bears_tokens());
  EXPECT_FALSE(read(R"({"type":"content-delta"})").known) << "Cohere's";
}

TEST(Anthropic, errors_and_a_whole_answer) {
  Reading<AnthropicReader> read;
  const AnswerEvent error = read(
      "error", R"({"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}})");
  EXPECT_EQ(error.kind, Kind::kError);
  EXPECT_EQ(error.error, "Overloaded");
  const AnswerEvent whole = read.reader.read_whole(
      R"({"type":"message","content":[{"type":"thinking","thinking":"hm"},{"type":"text","text":"a"},{"type":"text","text":"b"}],"stop_reason":"end_turn","usage":{"input_tokens":3,"output_tokens":4}})");
  EXPECT_TRUE(whole.known && whole.finished);
  EXPECT_EQ(whole.content, "ab");
  EXPECT_EQ(whole.reasoning, "hm");
  EXPECT_EQ(whole.usage->output_tokens, 4);
  EXPECT_FALSE(read.reader.read_whole(R"({"type":"message"})").known);
  EXPECT_EQ(body_in(kAnthropic, "m")["max_tokens"], 7);
  EXPECT_EQ(path_in(kAnthropic, "m"), "/v1/messages");
}

TEST(Responses, deltas_are_read_and_what_repeats_them_is_not) {
  Reading<ResponsesReader> read;
  EXPECT_EQ(
      read(R"({"type":"response.output_text.delta","delta":"a","obfuscation":"xyz"})").content,
      "a");
  EXPECT_EQ(read(R"({"type":"response.reasoning_text.delta","delta":"hm"})").reasoning, "hm");
  EXPECT_EQ(read(R"({"type":"response.reasoning_summary_text.delta","delta":"hm"})").reasoning,
            "hm");
  EXPECT_TRUE(
      read(R"({"type":"response.function_call_arguments.delta","delta":"{"})").has_tool_call);
  EXPECT_TRUE(
      read(
          R"({"type":"response.output_item.added","item":{"type":"function_call","name":"sum","arguments":""}})")
          .has_tool_call);
  for (const std::string_view repeats :
       {R"({"type":"response.output_text.done","text":"a"})",
        R"({"type":"response.content_part.done","part":{"type":"output_text","text":"a"}})",
        R"({"type":"response.output_item.done","item":{"type":"function_call","name":"sum"}})",
        R"({"type":"response.created","response":{"status":"in_progress","usage":null}})"}) {
    const AnswerEvent event = read(std::string(repeats));
    EXPECT_TRUE(event.known && !event.bears_tokens() && !event.finished) << repeats;
  }
}

TEST(Responses, the_end_has_the_usage_and_why) {
  Reading<ResponsesReader> read;
  const AnswerEvent done = read(
      R"({"type":"response.completed","response":{"status":"completed","error":null,"usage":{"input_tokens":15,"input_tokens_details":{"cached_tokens":2},"output_tokens":9,"output_tokens_details":{"reasoning_tokens":4}}}})");
  EXPECT_TRUE(done.finished);
  EXPECT_EQ(done.finish_reason, "completed");
  EXPECT_EQ(done.usage->input_tokens, 15);
  EXPECT_EQ(done.usage->output_tokens, 9);
  EXPECT_EQ(done.usage->cached_input_tokens, 2);
  EXPECT_EQ(done.usage->reasoning_tokens, 4);
  const AnswerEvent cut = read(
      R"({"type":"response.incomplete","response":{"status":"incomplete","incomplete_details":{"reason":"max_output_tokens"}}})");
  EXPECT_TRUE(cut.finished);
  EXPECT_EQ(cut.finish_reason, "max_output_tokens");
  const AnswerEvent failed = read(
      R"({"type":"response.failed","response":{"status":"failed","error":{"code":"x","message":"no quota"}}})");
  EXPECT_EQ(failed.kind, Kind::kError);
  EXPECT_EQ(failed.error, "no quota");
  const AnswerEvent flat = read(R"({"type":"error","code":"x","message":"gone"})");
  EXPECT_EQ(flat.kind, Kind::kError);
  EXPECT_EQ(flat.error, "gone");
  const AnswerEvent whole = read.reader.read_whole(
      R"({"object":"response","status":"completed","error":null,"output":[{"type":"reasoning","content":[{"type":"reasoning_text","text":"hm"}]},{"type":"message","content":[{"type":"output_text","text":"a"}]}],"usage":{"input_tokens":1,"output_tokens":2}})");
  EXPECT_EQ(whole.content, "a");
  EXPECT_EQ(whole.reasoning, "hm");
  EXPECT_EQ(whole.usage->output_tokens, 2);
  EXPECT_EQ(body_in(kOpenAiResponses, "m")["max_output_tokens"], 7);
}

TEST(Gemini, thoughts_are_put_to_the_output_and_parts_joined) {
  Reading<GeminiReader> read;
  const AnswerEvent first = read(
      R"({"candidates":[{"content":{"parts":[{"text":"hm","thought":true},{"text":"a"},{"text":"b"}],"role":"model"}}],"usageMetadata":{"promptTokenCount":9,"candidatesTokenCount":5,"thoughtsTokenCount":185,"cachedContentTokenCount":3}})");
  EXPECT_TRUE(first.known && !first.finished);
  EXPECT_EQ(first.content, "ab");
  EXPECT_EQ(first.reasoning, "hm");
  EXPECT_EQ(first.usage->input_tokens, 9);
  EXPECT_EQ(first.usage->output_tokens, 190);
  EXPECT_EQ(first.usage->reasoning_tokens, 185);
  EXPECT_EQ(first.usage->cached_input_tokens, 3);
  const AnswerEvent last = read(
      R"({"candidates":[{"content":{"parts":[{"text":"","thoughtSignature":"E"}]},"finishReason":"STOP"}]})");
  EXPECT_TRUE(last.finished && !last.bears_tokens());
  EXPECT_EQ(last.finish_reason, "STOP");
  EXPECT_TRUE(
      read(R"({"candidates":[{"content":{"parts":[{"functionCall":{"name":"f","args":{}}}]}}]})")
          .has_tool_call);
  const AnswerEvent blocked = read(R"({"promptFeedback":{"blockReason":"SAFETY"}})");
  EXPECT_TRUE(blocked.known && blocked.finished && !blocked.bears_tokens());
  EXPECT_EQ(blocked.finish_reason, "SAFETY");
  EXPECT_EQ(read(R"({"error":{"code":429,"message":"quota","status":"X"}})").error, "quota");
}

TEST(Gemini, a_whole_array_and_its_address) {
  GeminiReader reader;
  const AnswerEvent whole = reader.read_whole(
      "[{\"candidates\":[{\"content\":{\"parts\":[{\"text\":\"a\"}]}}]}\n,\r\n"
      "{\"candidates\":[{\"content\":{\"parts\":[{\"text\":\"b\"}]},\"finishReason\":\"STOP\"}]}]");
  EXPECT_EQ(whole.content, "ab");
  EXPECT_TRUE(whole.finished && whole.known);
  EXPECT_EQ(reader.read_whole("[{\"error\":{\"message\":\"quota\"}}]").kind, Kind::kError);
  EXPECT_EQ(reader.read_whole("[{\"candidates\":[]}").kind, Kind::kMalformed) << "cut";
  EXPECT_EQ(path_in(kGemini, "gemini-x"), "/v1beta/models/gemini-x:streamGenerateContent?alt=sse");
  EXPECT_EQ(path_in(kGemini, "projects/p/locations/l/publishers/google/models/g", false),
            "/v1/projects/p/locations/l/publishers/google/models/g:generateContent");
  const base::Json body = body_in(kGemini, "g");
  EXPECT_EQ(body["contents"][0]["parts"][0]["text"], "hi");
  EXPECT_EQ(body["generationConfig"]["maxOutputTokens"], 7);
}

TEST(Converse, the_type_stands_beside_the_event) {
  Reading<ConverseReader> read;
  const AnswerEvent start = read("messageStart", R"({"p":"ab","role":"assistant"})");
  EXPECT_TRUE(start.known && start.has_choice && !start.bears_tokens());
  EXPECT_EQ(read("contentBlockDelta", R"({"delta":{"text":"a"},"p":"abc"})").content, "a");
  EXPECT_EQ(read("contentBlockDelta", R"({"delta":{"reasoningContent":{"text":"hm"}}})").reasoning,
            "hm");
  EXPECT_FALSE(read("contentBlockDelta", R"({"delta":{"reasoningContent":{"signature":"E"}}})")
                   .bears_tokens());
  EXPECT_TRUE(read("contentBlockStart", R"({"start":{"toolUse":{"name":"f","toolUseId":"t"}}})")
                  .has_tool_call);
  EXPECT_TRUE(read("contentBlockDelta", R"({"delta":{"toolUse":{"input":"{"}}})").has_tool_call);
  EXPECT_FALSE(
      read("contentBlockStart", R"({"start":{"toolResult":{"status":"success"}}})").bears_tokens());
  const AnswerEvent stop = read("messageStop", R"({"stopReason":"end_turn"})");
  EXPECT_TRUE(stop.finished);
  EXPECT_EQ(stop.finish_reason, "end_turn");
  const AnswerEvent counts = read(
      "metadata",
      R"({"metrics":{"latencyMs":1999},"usage":{"inputTokens":36,"outputTokens":73,"cacheReadInputTokens":4,"cacheWriteInputTokens":10}})");
  EXPECT_EQ(counts.usage->input_tokens, 50);
  EXPECT_EQ(counts.usage->output_tokens, 73);
  EXPECT_EQ(counts.server->execute, 1999 * base::kMillisecond);
  const AnswerEvent error = read("error", R"({"message":"Too many requests"})");
  EXPECT_EQ(error.kind, Kind::kError);
  EXPECT_EQ(error.error, "Too many requests");
  EXPECT_FALSE(read("initial-response", "{}").known);
}

TEST(Converse, a_whole_answer_a_refusal_and_its_address) {
  ConverseReader reader;
  const AnswerEvent whole = reader.read_whole(
      R"({"output":{"message":{"role":"assistant","content":[{"reasoningContent":{"reasoningText":{"text":"hm"}}},{"text":"a"}]}},"stopReason":"end_turn","usage":{"inputTokens":1,"outputTokens":2},"metrics":{"latencyMs":7}})");
  EXPECT_TRUE(whole.known && whole.finished);
  EXPECT_EQ(whole.content, "a");
  EXPECT_EQ(whole.reasoning, "hm");
  EXPECT_EQ(whole.usage->output_tokens, 2);
  EXPECT_EQ(reader.read_whole(R"({"message":"no access"})").error, "no access");
  EXPECT_EQ(path_in(kBedrockConverse, "us.x-v1:0"), "/model/us.x-v1%3A0/converse-stream");
  const base::Json body = body_in(kBedrockConverse, "m");
  EXPECT_EQ(body["messages"][0]["content"][0]["text"], "hi");
  EXPECT_EQ(body["inferenceConfig"]["maxTokens"], 7);
}

AnswerEvent invoked(Reading<InvokeReader>& read, std::string_view inner) {
  return read("chunk", fmt::format(R"({{"bytes":"{}","p":"abcd"}})", base::base64(inner)));
}

TEST(Invoke, the_models_own_events_within) {
  Reading<InvokeReader> read;
  EXPECT_EQ(invoked(read, R"({"type":"content_block_delta","delta":{"text":"a"}})").content, "a");
  EXPECT_EQ(invoked(read, R"({"choices":[{"delta":{"content":"b"}}]})").content, "b");
  EXPECT_EQ(invoked(read, R"({"outputs":[{"text":"c","stop_reason":null}]})").content, "c");
  EXPECT_EQ(
      invoked(read, R"({"outputText":"d","index":0,"totalOutputTextTokenCount":null})").content,
      "d");
  EXPECT_EQ(invoked(read, R"({"contentBlockDelta":{"delta":{"text":"e"}}})").content, "e");
  const AnswerEvent llama = invoked(
      read,
      R"({"generation":" f","prompt_token_count":3,"generation_token_count":2,"stop_reason":"length"})");
  EXPECT_EQ(llama.content, " f");
  EXPECT_EQ(llama.finish_reason, "length");
  EXPECT_EQ(llama.usage->output_tokens, 2);
  EXPECT_FALSE(invoked(read, R"({"what":1})").known);
  EXPECT_EQ(read("chunk", R"({"bytes":"?"})").kind, Kind::kMalformed);
  EXPECT_EQ(invoked(read, "no JSON").kind, Kind::kMalformed);
  EXPECT_EQ(read("error", R"({"message":"model failed"})").error, "model failed");
}

TEST(Invoke, the_last_event_has_bedrocks_own_counts) {
  Reading<InvokeReader> read;
  const AnswerEvent last = invoked(
      read,
      R"({"type":"message_stop","amazon-bedrock-invocationMetrics":{"inputTokenCount":8,"outputTokenCount":11,"invocationLatency":512,"firstByteLatency":90}})");
  EXPECT_EQ(last.kind, Kind::kChunk) << "its counts are read";
  EXPECT_TRUE(last.finished);
  EXPECT_EQ(last.usage->input_tokens, 8);
  EXPECT_EQ(last.usage->output_tokens, 11);
  EXPECT_EQ(last.server->execute, 512 * base::kMillisecond);
  EXPECT_EQ(path_in(kBedrockInvoke, "a:0", false), "/model/a%3A0/invoke");
  EXPECT_EQ(body_in(kBedrockInvoke, "meta.llama3")["max_gen_len"], 7);
  EXPECT_EQ(body_in(kBedrockInvoke, "anthropic.claude")["anthropic_version"], "bedrock-2023-05-31");
  EXPECT_EQ(body_in(kBedrockInvoke, "amazon.nova-lite-v1:0")["inferenceConfig"]["maxTokens"], 7);
  EXPECT_EQ(body_in(kBedrockInvoke, "amazon.titan-x")["textGenerationConfig"]["maxTokenCount"], 7);
}

}  // namespace
}  // namespace steelyard::platform
