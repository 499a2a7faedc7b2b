// What a token costs the heap: nothing. Every allocation of this program is counted, by thread, so
// that the server beside the client is not.
#include <thread>

#include "counted_heap.h"
#include "emulate/truth_server.h"
#include "platform/openai_dialect.h"
#include "platform/recognise.h"
#include "study/endpoint_run.h"

namespace steelyard::study {
namespace {

constexpr std::size_t kRequests = 40;

// On this thread, by a run of so many tokens a request against `url`; every one is parsed, recorded
// and summed up.
std::int64_t allocations_of(const std::string& url, std::int64_t tokens) {
  load::Target target;
  target.url = wire::parse_url("", url).value();
  target.path = "/v1/completions";
  platform::RequestOptions options;
  options.dialect = &platform::kOpenAiCompletions;
  options.model = "emulated-model";
  LoadShape shape;
  shape.closed_loop = true;
  shape.max_concurrency = 4;
  const std::vector<workload::Request> requests(kRequests, {"one two", 2, tokens});
  EndpointRun run(target, options, shape);
  const std::int64_t before = allocations_here();
  const auto result = run.run(requests, "test");
  const std::int64_t made = allocations_here() - before;
  EXPECT_TRUE(result) << (result ? "" : base::to_line(result.error()));
  EXPECT_EQ(result->figures.run.summary({}).output_tokens, tokens * std::int64_t{kRequests});
  return made;
}

TEST(Allocations, none_a_token) {
  const auto server = emulate::TruthServer::start({.instant = true}).value();
  std::thread serving([&] { server->run(); });
  const std::int64_t of_few = allocations_of(server->url(), 50);
  const std::int64_t of_many = allocations_of(server->url(), 2'000);
  server->stop();
  serving.join();
  EXPECT_GT(of_few, 0) << "nothing is counted";
  const double each = static_cast<double>(of_many - of_few) / (kRequests * 1'950.0);
  // Buffers that grow to a longer answer's size, once each.
  EXPECT_LT(each, 0.005) << of_few << " and " << of_many;
  RecordProperty("allocations_per_token", fmt::format("{:.5f}", each));
}

// An event of each protocol, with text in it.
std::vector<std::pair<std::string_view, platform::SeenEvent>> token_events() {
  return {{"openai-chat", {"", R"({"choices":[{"delta":{"content":"word"}}]})"}},
          {"anthropic", {"", R"({"type":"content_block_delta","delta":{"text":"word"}})"}},
          {"openai-responses", {"", R"({"type":"response.output_text.delta","delta":"word"})"}},
          {"gemini", {"", R"({"candidates":[{"content":{"parts":[{"text":"a word of many"}]}}]})"}},
          {"tgi", {"", R"({"token":{"id":1,"text":"word"}})"}},
          {"sglang", {"", R"({"text":"word","meta_info":{"completion_tokens":1}})"}},
          {"llama.cpp", {"", R"({"content":"word","stop":false})"}},
          {"ollama", {"", R"({"message":{"content":"word"},"done":false})"}},
          {"triton", {"", R"({"text_output":"word"})"}},
          {"bedrock-converse", {"contentBlockDelta", R"({"delta":{"text":"word"},"p":"abc"})"}},
          {"bedrock-invoke",
           {"chunk",
            R"({"bytes":"eyJjb250ZW50QmxvY2tEZWx0YSI6eyJkZWx0YSI6eyJ0ZXh0Ijoid29yZCJ9fX0="})"}},
          {"bedrock-invoke", {"chunk", R"({"bytes":"eyJnZW5lcmF0aW9uIjoid29yZCJ9"})"}}};
}

TEST(Allocations, none_an_event_in_any_protocol) {
  for (const auto& [name, event] : token_events()) {
    SCOPED_TRACE(name);
    const platform::Dialect* dialect = platform::recognise(std::vector{event});
    ASSERT_NE(dialect, nullptr);
    ASSERT_EQ(dialect->name, name);
    const auto reader = dialect->make_reader();
    platform::StreamMemory memory;
    bool tokens = true;
    const auto read = [&] {
      memory.text.clear();  // SGLang's: the same text again would be none
      tokens = tokens && reader->read(event.type, event.data, memory, false).bears_tokens();
    };
    for (int i = 0; i < 16; ++i) {
      read();  // buffers grow, patterns are learnt
    }
    const std::int64_t before = allocations_here();
    for (int i = 0; i < 1'000; ++i) {
      read();
    }
    EXPECT_EQ(allocations_here(), before);
    EXPECT_TRUE(tokens);
  }
}

}  // namespace
}  // namespace steelyard::study
