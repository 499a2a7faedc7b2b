// Streams that providers really sent, played over a socket and measured by the engine. They are not
// part of the project; where their folder is absent the test says how many it passed over.
#include <cstdlib>
#include <filesystem>

#include "answers.h"
#include "base/file.h"
#include "base/text.h"
#include "measure/request_metrics.h"
#include "measure/summary.h"
#include "one_request.h"
#include "scripted_server.h"

namespace steelyard::load {
namespace {

using measure::ChunkKind;
using measure::Outcome;
using measure::TokenSource;

struct Counts {
  std::int64_t empty = 0;
  std::int64_t reasoning = 0;
  std::int64_t content = 0;
  std::int64_t tool_call = 0;
  bool operator==(const Counts&) const = default;
};

void PrintTo(const Counts& counts, std::ostream* out) {
  *out << fmt::format("{} empty, {} reasoning, {} content, {} tool call", counts.empty,
                      counts.reasoning, counts.content, counts.tool_call);
}

struct Recorded {
  std::string name;
  Outcome outcome = Outcome::kCompleted;
  Counts chunks;
  std::optional<std::int64_t> output_tokens;
};

Recorded completed(const std::string& name, const Counts& chunks, std::int64_t output_tokens) {
  return {name, Outcome::kCompleted, chunks, output_tokens};
}
// The Responses API, Anthropic's, Google's or Cohere's own: JSON, and not of this dialect.
Recorded foreign(const std::string& name, std::int64_t events) {
  return {name, Outcome::kProtocol, {events, 0, 0, 0}, std::nullopt};
}
Recorded error_in_band(const std::string& name, std::int64_t events_before) {
  return {name, Outcome::kErrorInBand, {events_before, 0, 0, 0}, std::nullopt};
}

// Counted with a script of its own from the bytes, not with this program. Every output length below
// is the usage that the provider gave, some of it in x_groq.
std::vector<Recorded> bodies() {
  return {foreign("test_anthropic_code_execution_tool_stream.0", 35),
          foreign("test_anthropic_model_thinking_part_redacted_stream.0", 27),
          foreign("test_background_mode_streaming_vcr.0", 17),
          completed("test_cancel_recorded_provider_stream_huggingface.1", {3, 0, 1, 0}, 2),
          completed("test_crusoe_model_streaming.0", {3, 0, 13, 0}, 14),
          completed("test_deepseek_model_thinking_stream.0", {2, 198, 11, 0}, 212),
          foreign("test_deepseek_responses_text_stream.0", 27),
          completed("test_groq_model_thinking_part_iter.0", {2, 0, 987, 0}, 988),
          completed("test_groq_model_web_search_tool_stream.0", {3, 174, 49, 0}, 359),
          completed("test_hf_model_thinking_part_iter.0", {4, 0, 951, 0}, 955),
          completed("test_mistral_model_thinking_part_iter.0", {4, 57, 97, 0}, 232),
          completed("test_openai_moderation_stream.0", {4, 0, 2, 0}, 11),
          foreign("test_openai_responses_raw_cot_stream_openrouter.0", 40),
          foreign("test_openai_responses_stream.0", 11),
          foreign("test_openai_responses_stream.1", 15),
          foreign("test_openai_responses_streaming_usage.0", 14),
          completed("test_openrouter_cache_streaming_e2e.0", {2, 0, 1, 0}, 5),
          completed("test_openrouter_stream_with_reasoning.0", {4, 0, 98, 0}, 104),
          completed("test_openrouter_streaming_reasoning.0", {9, 3, 2, 0}, 36),
          completed("test_openrouter_web_search_tool_usage_stream.0", {2, 0, 12, 0}, 30),
          foreign("test_request_stream_fallback_for_high_max_tokens.0", 7),
          foreign("test_reused_tool_call_ids_stream.0", 7),
          foreign("test_reused_tool_call_ids_stream.1", 9),
          foreign("test_reused_tool_call_ids_stream.2", 26),
          completed("test_run_stream_sync_streams_real_model.0", {2, 0, 0, 6}, 15),
          completed("test_run_stream_sync_streams_real_model.1", {3, 0, 8, 0}, 9)};
}

// Kept as one JSON object a line.
std::vector<Recorded> payloads() {
  return {completed("alibaba-tool-call", {3, 0, 0, 3}, 22),
          foreign("anthropic-text", 12),
          completed("azure-model-router.1", {4, 0, 4, 0}, 78),
          foreign("azure-text.1", 9),
          completed("cererebras-structured-output-tools.1", {5, 83, 7, 2}, 122),
          foreign("cohere-text", 11),
          completed("deepseek-tool-call", {2, 39, 0, 11}, 83),
          foreign("duplicate-message-start", 7),
          foreign("google-text", 3),
          completed("groq-tool-call", {2, 0, 0, 1}, 15),
          completed("mistral-incremental-tool-call", {1, 0, 0, 2}, 14),
          completed("mistral-reasoning", {1, 2, 1, 0}, 46),
          completed("mistral-text", {2, 0, 6, 0}, 8),
          completed("moonshotai-stream", {0, 2, 2, 0}, 12),
          completed("openai-completion-text", {1, 0, 16, 0}, 16),
          error_in_band("openai-error.1", 3),
          completed("openai-text", {3, 0, 300, 0}, 300),
          foreign("spliced-message-start", 17)};
}

std::string folder() {
  const char* named = std::getenv("STEELYARD_SHARED");
  const std::string shared = named != nullptr ? named : STEELYARD_SOURCE_DIR "/../shared";
  return shared + "/data/sse/";
}

std::string framed(const std::string& lines) {
  std::string body;
  for (const std::string_view line : base::split(lines, '\n')) {
    body += base::trim(line).empty() ? "" : event(std::string(line));
  }
  return body + kDone;
}

// HTTP chunks that know nothing of events.
std::string chunked(const std::string& body) {
  constexpr std::size_t kChunk = 1370;
  std::string bytes = kStreamHead + "Transfer-Encoding: chunked\r\n\r\n";
  for (std::size_t at = 0; at < body.size(); at += kChunk) {
    bytes += chunk(body.substr(at, kChunk));
  }
  return bytes + "0\r\n\r\n";
}

measure::RequestLog measured(const Script& script) {
  ScriptedServer server({script});
  Collected sink;
  EXPECT_TRUE(Engine(target_at(server.url()), *plan_of(1)).run(sink));
  return sink.logs.empty() ? measure::RequestLog{} : sink.logs.front();
}

Counts counts_of(const measure::RequestLog& log) {
  const auto number = [&](ChunkKind kind) {
    return std::ranges::count(log.chunks, kind, &measure::ChunkEvent::kind);
  };
  return {number(ChunkKind::kEmpty) + number(ChunkKind::kNoChoice), number(ChunkKind::kReasoning),
          number(ChunkKind::kContent), number(ChunkKind::kToolCall)};
}

void expect_judged(const Recorded& one, const measure::RequestLog& log) {
  EXPECT_EQ(measure::name_of(log.outcome), measure::name_of(one.outcome)) << log.failure;
  EXPECT_EQ(counts_of(log), one.chunks);
  EXPECT_EQ(log.output_tokens, one.output_tokens);
  EXPECT_EQ(measure::name_of(log.token_source),
            measure::name_of(one.output_tokens ? TokenSource::kUsage : TokenSource::kUnknown));
  EXPECT_EQ(measure::metrics_of(log).ttft.has_value(), log.outcome == Outcome::kCompleted);
  EXPECT_TRUE(std::ranges::is_sorted(log.chunks, {}, &measure::ChunkEvent::at));
}

// Each is played twice: whole until the server closes, and chunked in small writes.
void play_all(const std::vector<Recorded>& all, const std::string& under, const std::string& ending,
              std::string (*body_of)(const std::string&)) {
  std::vector<std::string> absent;
  for (const Recorded& one : all) {
    SCOPED_TRACE(one.name);
    const auto file = base::read_file(folder() + under + one.name + ending);
    if (!file) {
      absent.push_back(one.name);
      continue;
    }
    const std::string body = body_of(*file);
    expect_judged(one, measured({until_close(body), Script::End::kClose}));
    expect_judged(one, measured({chunked(body), Script::End::kKeepOpen, 601}));
  }
  if (!absent.empty()) {
    GTEST_SKIP() << fmt::format("{} of {} recorded streams are not in {} (STEELYARD_SHARED): {}",
                                absent.size(), all.size(), folder() + under,
                                base::shorten(base::join(absent, ", "), 200));
  }
}

TEST(RecordedStreams, bodies_are_judged_as_they_are) {
  play_all(bodies(), "recorded/", ".sse", [](const std::string& body) { return body; });
}

TEST(RecordedStreams, payloads_are_judged_as_they_are) {
  play_all(payloads(), "vercel-ai-chunks/", ".chunks.txt", framed);
}

}  // namespace
}  // namespace steelyard::load
