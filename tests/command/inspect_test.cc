#include "command/inspect.h"

#include "base/file.h"
#include "base/text.h"

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
  EXPECT_EQ(facts.events, 6);
  EXPECT_EQ(facts.first_token_event, 2);
  EXPECT_EQ(facts.content_chunks, 2);
  EXPECT_EQ(facts.role_or_empty_chunks, 3);
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
    const bool between = length >= finished - 2 && !facts->torn;
    EXPECT_THAT(said, testing::HasSubstr(between ? "completed" : "truncated")) << length;
    EXPECT_TRUE(!facts->torn || facts->cut_short);
  }
  const StreamFacts torn = facts_of({kHi, kFinish, kUsage.substr(0, 30)});
  EXPECT_EQ(verdict(torn), "failed: truncated, the stream ends within an event");
  EXPECT_THAT(describe(torn), testing::HasSubstr("the last event was cut short"));
  EXPECT_EQ(verdict(facts_of({kHi, kDone, "data: {\"cho"})), "completed") << "nothing is missing";
}

TEST(Inspect, names_a_stream_of_another_dialect) {
  EXPECT_THAT(
      verdict(facts_of({"event: response.created\ndata: {\"type\":\"response.created\"}\n\n"})),
      testing::HasSubstr("of the dialect that was asked"));
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

TEST(Inspect, what_is_no_stream_is_bad_input) {
  EXPECT_FALSE(inspect_stream("s", ""));
  EXPECT_FALSE(inspect_stream("s", "{\"choices\":[]}"));
  EXPECT_EQ(inspect_stream("s", "<html>").error().where, "s");
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
