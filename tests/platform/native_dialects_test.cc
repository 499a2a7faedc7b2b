// The protocols of single servers, event by event: shapes from each project's own documentation
// (named in src/platform's headers), written anew.
#include "platform/llama_cpp.h"
#include "platform/ollama.h"
#include "platform/platforms.h"
#include "platform/sglang.h"
#include "platform/tgi.h"
#include "platform/triton.h"

#include <nlohmann/json.hpp>

namespace steelyard::platform {
namespace {

base::Json body_in(const Dialect& dialect, const RequestOptions& given = {}) {
  RequestOptions options = given;
  options.dialect = &dialect;
  options.model = "m";
  std::string body;
  body_template(options).write({}, "say \"hi\"", 7, body);
  return base::parse_json(body).value();
}

TEST(Tgi, a_token_an_event_and_the_end_in_the_last) {
  TgiReader reader;
  StreamMemory memory;
  const auto read = [&](std::string_view data) { return reader.read("", data, memory, true); };
  const AnswerEvent first = read(
      R"({"index":1,"token":{"id":5,"text":" a","logprob":-0.4,"special":false},"generated_text":null,"details":null})");
  EXPECT_TRUE(first.known && first.has_choice && !first.finished && !first.usage);
  EXPECT_EQ(first.content, " a");
  const AnswerEvent last = read(
      R"({"index":2,"token":{"id":2,"text":"</s>","special":true},"generated_text":" a","details":{"finish_reason":"eos_token","generated_tokens":2,"input_length":4}})");
  EXPECT_FALSE(last.bears_tokens()) << "the mark of the end is no text";
  EXPECT_TRUE(last.finished);
  EXPECT_EQ(last.usage->output_tokens, 2);
  EXPECT_EQ(last.usage->input_tokens, 4);
  const AnswerEvent error = read(R"({"error":"Model is overloaded","error_type":"overloaded"})");
  EXPECT_EQ(error.kind, AnswerEvent::Kind::kError);
  EXPECT_EQ(error.error, "Model is overloaded");
  const AnswerEvent whole = reader.read_whole(
      R"({"generated_text":"a b","details":{"finish_reason":"length","generated_tokens":2}})");
  EXPECT_TRUE(whole.known && whole.finished);
  EXPECT_EQ(whole.content, "a b");
}

TEST(Tgi, its_body) {
  const base::Json body = body_in(kTgi);
  EXPECT_EQ(body["inputs"], "say \"hi\"");
  EXPECT_EQ(body["parameters"]["max_new_tokens"], 7);
  EXPECT_EQ(body["parameters"]["do_sample"], false);
  RequestOptions warm;
  warm.temperature = 0.5;
  warm.extra_body = R"({"parameters":{"top_k":3}})";
  const base::Json asked = body_in(kTgi, warm);
  EXPECT_EQ(asked["parameters"]["temperature"], 0.5);
  EXPECT_EQ(asked["parameters"]["top_k"], 3) << "merged";
  EXPECT_EQ(asked["parameters"]["max_new_tokens"], 7) << "and not replaced";
  warm.temperature = 0.0;  // which TGI refuses
  EXPECT_FALSE(body_in(kTgi, warm)["parameters"].contains("temperature"));
}

TEST(Sglang, text_that_grows_and_text_in_pieces) {
  SglangReader reader;
  const auto event = [](std::string_view text, int tokens, std::string_view reason) {
    return fmt::format(
        R"({{"text":"{}","meta_info":{{"prompt_tokens":3,"completion_tokens":{},"cached_tokens":1,"finish_reason":{}}}}})",
        text, tokens, reason);
  };
  StreamMemory growing;
  const std::string first = event("The", 1, "null");
  EXPECT_EQ(reader.read("", first, growing, true).content, "The");
  const std::string second = event("The end", 2, "null");
  EXPECT_EQ(reader.read("", second, growing, true).content, " end");
  const std::string held = event("The end", 3, "null");  // half a character is held back
  EXPECT_FALSE(reader.read("", held, growing, true).bears_tokens());
  const std::string third = event("The end.", 4, R"({"type":"length","length":4})");
  const AnswerEvent last = reader.read("", third, growing, true);
  EXPECT_EQ(last.content, ".");
  EXPECT_TRUE(last.finished);
  EXPECT_EQ(last.usage->output_tokens, 4);
  EXPECT_EQ(last.usage->cached_input_tokens, 1);
  StreamMemory pieces;
  for (const std::string_view piece : {"The", " end", " of", " it"}) {
    const std::string text = event(piece, 1, "null");
    EXPECT_EQ(reader.read("", text, pieces, true).content, piece);
  }
  EXPECT_EQ(body_in(kSglang)["sampling_params"]["max_new_tokens"], 7);
}

TEST(LlamaCpp, the_last_event_has_counts_and_timings) {
  LlamaCppReader reader;
  StreamMemory memory;
  const auto read = [&](std::string_view data) { return reader.read("", data, memory, true); };
  const AnswerEvent token = read(R"({"content":" a","tokens":[12],"stop":false})");
  EXPECT_EQ(token.content, " a");
  EXPECT_FALSE(token.finished);
  const AnswerEvent last = read(
      R"({"content":"","stop":true,"stop_type":"limit","tokens_evaluated":5,"tokens_predicted":2,"timings":{"prompt_ms":12.5,"predicted_ms":40}})");
  EXPECT_TRUE(last.finished && !last.bears_tokens());
  EXPECT_EQ(last.usage->input_tokens, 5);
  EXPECT_EQ(last.usage->output_tokens, 2);
  EXPECT_EQ(last.server->prefill, 12'500'000);
  EXPECT_EQ(last.server->decode, 40 * base::kMillisecond);
  EXPECT_EQ(body_in(kLlamaCpp)["cache_prompt"], false);
  EXPECT_EQ(body_in(kLlamaCpp)["n_predict"], 7);
}

TEST(Ollama, the_last_line_has_counts_and_durations) {
  OllamaReader reader;
  StreamMemory memory;
  const auto read = [&](std::string_view data) { return reader.read("", data, memory, true); };
  EXPECT_EQ(
      read(R"({"model":"m","message":{"role":"assistant","content":" a"},"done":false})").content,
      " a");
  EXPECT_EQ(read(R"({"message":{"role":"assistant","content":"","thinking":"hm"},"done":false})")
                .reasoning,
            "hm");
  EXPECT_EQ(read(R"({"model":"m","response":" b","done":false})").content, " b") << "/api/generate";
  const AnswerEvent last = read(
      R"({"message":{"content":""},"done":true,"done_reason":"length","total_duration":4935886791,"load_duration":534986708,"prompt_eval_duration":107345000,"eval_count":2,"eval_duration":30000000})");
  EXPECT_TRUE(last.finished);
  EXPECT_EQ(last.usage->output_tokens, 2);
  EXPECT_FALSE(last.usage->input_tokens) << "a cached prompt is not counted there";
  EXPECT_EQ(last.server->load, 534'986'708);
  EXPECT_EQ(last.server->decode, 30 * base::kMillisecond);
  EXPECT_EQ(read(R"({"error":"model runner has stopped"})").error, "model runner has stopped");
  EXPECT_EQ(body_in(kOllama)["messages"][0]["content"], "say \"hi\"");
}

TEST(Triton, text_alone_and_no_counts) {
  TritonReader reader;
  StreamMemory memory;
  for (const std::string_view piece : {"a", "b", "b"}) {
    const std::string data = fmt::format(R"({{"model_name":"m","text_output":"{}"}})", piece);
    const AnswerEvent event = reader.read("", data, memory, false);
    EXPECT_EQ(event.content, piece);
    EXPECT_TRUE(event.known && !event.usage && !event.finished);
  }
  const AnswerEvent error = reader.read("", R"({"error":"out of blocks"})", memory, false);
  EXPECT_EQ(error.error, "out of blocks");
  RequestOptions options;
  options.model = "m";
  EXPECT_EQ(kTriton.path(options), "/v2/models/m/generate_stream");
  EXPECT_EQ(body_in(kTriton)["parameters"]["max_tokens"], 7);
  EXPECT_EQ(body_in(kTritonTrtLlm)["max_tokens"], 7);
}

TEST(Platforms, by_name_and_endpoint_type) {
  const auto dialect = [](std::string_view name, std::string_view type) {
    return platform_named("--platform", name).and_then([&](const Platform* platform) {
      return dialect_of(*platform, "--endpoint-type", type);
    });
  };
  EXPECT_EQ((*dialect("openai", ""))->name, "openai-chat");
  EXPECT_EQ((*dialect("tgi", ""))->name, "tgi");
  EXPECT_EQ((*dialect("tgi", "completions"))->name, "openai");
  EXPECT_EQ(base::to_line(dialect("vllm", "native").error()),
            "--endpoint-type: vLLM has no native endpoint (chat or completions)");
  EXPECT_THAT(dialect("vlm", "").error().hint, testing::HasSubstr("vllm"));
}

}  // namespace
}  // namespace steelyard::platform
