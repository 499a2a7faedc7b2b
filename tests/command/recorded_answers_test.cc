// Answers that providers really sent, decoded whole: text, counts, reason and verdict. They are not
// part of the project; where their folder is absent the test says how many it passed over.
#include <cstdlib>
#include <filesystem>

#include "base/digest.h"
#include "base/encoding.h"
#include "base/file.h"
#include "command/inspect.h"

namespace steelyard::command {
namespace {

namespace fs = std::filesystem;

struct Text {
  std::size_t bytes;
  std::string_view sha256;  // its first eight digits
};

struct Expected {
  std::string_view file;
  std::string_view dialect;  // "": none is recognised
  std::size_t events;
  std::optional<std::int64_t> first_token;
  Text content;
  Text reasoning;
  std::int64_t tool_calls;
  std::optional<std::int64_t> input_tokens;
  std::optional<std::int64_t> output_tokens;
  std::string_view finish_reason;
  std::string_view end;  // "done": with its mark; "error": a failure in words
};

// By a script of its own from the bytes (JSON by Python's json, AWS messages by struct), not by
// this program; the texts were read.
const std::vector<Expected>& expected() {
  static const std::vector<Expected> all = {
      {"sse/recorded/test_anthropic_code_execution_tool_stream.0.sse",
       "anthropic",
       35,
       4,
       {524, "daa935c0"},
       {46, "0befef58"},
       9,
       4714,
       304,
       "end_turn",
       "done"},
      {"sse/recorded/test_anthropic_model_thinking_part_redacted_stream.0.sse",
       "anthropic",
       27,
       10,
       {359, "33e0d169"},
       {0, "e3b0c442"},
       0,
       92,
       189,
       "end_turn",
       "done"},
      {"sse/recorded/test_background_mode_streaming_vcr.0.sse",
       "openai-responses",
       17,
       6,
       {15, "088c1ac1"},
       {0, "e3b0c442"},
       0,
       15,
       9,
       "completed",
       ""},
      {"sse/recorded/test_cancel_recorded_provider_stream_huggingface.1.sse",
       "openai-chat",
       5,
       2,
       {5, "5dd272b4"},
       {0, "e3b0c442"},
       0,
       40,
       2,
       "stop",
       "done"},
      {"sse/recorded/test_crusoe_model_streaming.0.sse",
       "openai-chat",
       17,
       2,
       {13, "43f0c4c6"},
       {0, "e3b0c442"},
       0,
       46,
       14,
       "stop",
       "done"},
      {"sse/recorded/test_deepseek_model_thinking_stream.0.sse",
       "openai-chat",
       212,
       2,
       {43, "cf0e6027"},
       {882, "d29146ea"},
       0,
       6,
       212,
       "stop",
       "done"},
      {"sse/recorded/test_deepseek_responses_text_stream.0.sse",
       "openai-responses",
       27,
       5,
       {31, "a1b7eb2e"},
       {33, "25594cd4"},
       0,
       90,
       15,
       "completed",
       ""},
      {"sse/recorded/test_groq_model_thinking_part_iter.0.sse",
       "openai-chat",
       990,
       2,
       {4048, "7e5ceb95"},
       {0, "e3b0c442"},
       0,
       21,
       988,
       "stop",
       "done"},
      {"sse/recorded/test_groq_model_web_search_tool_stream.0.sse",
       "openai-chat",
       227,
       1,
       {202, "5490fde4"},
       {6304, "f24f8484"},
       0,
       5003,
       359,
       "stop",
       "done"},
      {"sse/recorded/test_hf_model_thinking_part_iter.0.sse",
       "openai-chat",
       956,
       1,
       {4026, "da617721"},
       {0, "e3b0c442"},
       0,
       10,
       955,
       "stop",
       "done"},
      {"sse/recorded/test_mistral_model_thinking_part_iter.0.sse",
       "openai-chat",
       159,
       3,
       {607, "e61ff78a"},
       {421, "fcab447a"},
       0,
       10,
       232,
       "stop",
       "done"},
      {"sse/recorded/test_openai_moderation_stream.0.sse",
       "openai-chat",
       7,
       2,
       {6, "bdff8c41"},
       {0, "e3b0c442"},
       0,
       13,
       11,
       "stop",
       "done"},
      {"sse/recorded/test_openai_responses_raw_cot_stream_openrouter.0.sse",
       "openai-responses",
       41,
       5,
       {1, "4b227777"},
       {85, "613098ac"},
       0,
       78,
       37,
       "completed",
       "done"},
      {"sse/recorded/test_openai_responses_stream.0.sse",
       "openai-responses",
       11,
       3,
       {0, "e3b0c442"},
       {0, "e3b0c442"},
       6,
       255,
       16,
       "completed",
       ""},
      {"sse/recorded/test_openai_responses_stream.1.sse",
       "openai-responses",
       15,
       5,
       {31, "a1b7eb2e"},
       {0, "e3b0c442"},
       0,
       278,
       9,
       "completed",
       ""},
      {"sse/recorded/test_openai_responses_streaming_usage.0.sse",
       "openai-responses",
       14,
       5,
       {0, "e3b0c442"},
       {0, "e3b0c442"},
       7,
       53,
       469,
       "completed",
       ""},
      {"sse/recorded/test_openrouter_cache_streaming_e2e.0.sse",
       "openai-chat",
       4,
       1,
       {6, "334d016f"},
       {0, "e3b0c442"},
       0,
       254,
       5,
       "stop",
       "done"},
      {"sse/recorded/test_openrouter_stream_with_reasoning.0.sse",
       "openai-chat",
       103,
       3,
       {454, "863c7d8a"},
       {0, "e3b0c442"},
       0,
       9,
       104,
       "stop",
       "done"},
      {"sse/recorded/test_openrouter_streaming_reasoning.0.sse",
       "openai-chat",
       15,
       3,
       {9, "e93dff0d"},
       {51, "b66dc085"},
       0,
       43,
       36,
       "stop",
       "done"},
      {"sse/recorded/test_openrouter_web_search_tool_usage_stream.0.sse",
       "openai-chat",
       15,
       1,
       {40, "574034ab"},
       {0, "e3b0c442"},
       0,
       8174,
       30,
       "stop",
       "done"},
      {"sse/recorded/test_request_stream_fallback_for_high_max_tokens.0.sse",
       "anthropic",
       7,
       4,
       {1, "d4735e3a"},
       {0, "e3b0c442"},
       0,
       20,
       5,
       "end_turn",
       "done"},
      {"sse/recorded/test_reused_tool_call_ids_stream.0.sse",
       "openai-responses",
       7,
       3,
       {0, "e3b0c442"},
       {0, "e3b0c442"},
       2,
       88,
       14,
       "completed",
       ""},
      {"sse/recorded/test_reused_tool_call_ids_stream.1.sse",
       "openai-responses",
       9,
       5,
       {0, "e3b0c442"},
       {0, "e3b0c442"},
       2,
       115,
       30,
       "completed",
       ""},
      {"sse/recorded/test_reused_tool_call_ids_stream.2.sse",
       "openai-responses",
       26,
       7,
       {70, "0656f738"},
       {0, "e3b0c442"},
       0,
       158,
       32,
       "completed",
       ""},
      {"sse/recorded/test_run_stream_sync_streams_real_model.0.sse",
       "openai-chat",
       9,
       1,
       {0, "e3b0c442"},
       {0, "e3b0c442"},
       6,
       53,
       15,
       "tool_calls",
       "done"},
      {"sse/recorded/test_run_stream_sync_streams_real_model.1.sse",
       "openai-chat",
       12,
       2,
       {32, "6d6d6474"},
       {0, "e3b0c442"},
       0,
       78,
       9,
       "stop",
       "done"},
      {"sse/vercel-ai-chunks/alibaba-tool-call.chunks.txt",
       "openai-chat",
       6,
       1,
       {0, "e3b0c442"},
       {0, "e3b0c442"},
       3,
       295,
       22,
       "tool_calls",
       ""},
      {"sse/vercel-ai-chunks/anthropic-text.chunks.txt",
       "anthropic",
       12,
       4,
       {108, "3ff17711"},
       {0, "e3b0c442"},
       0,
       12,
       30,
       "end_turn",
       "done"},
      {"sse/vercel-ai-chunks/azure-model-router.1.chunks.txt",
       "openai-chat",
       8,
       3,
       {19, "53f836c9"},
       {0, "e3b0c442"},
       0,
       15,
       78,
       "stop",
       ""},
      {"sse/vercel-ai-chunks/azure-text.1.chunks.txt",
       "openai-responses",
       9,
       5,
       {5, "185f8db3"},
       {0, "e3b0c442"},
       0,
       11,
       11,
       "completed",
       ""},
      {"sse/vercel-ai-chunks/cererebras-structured-output-tools.1.chunks.txt",
       "openai-chat",
       97,
       2,
       {18, "10de3ffa"},
       {884, "61402a93"},
       2,
       433,
       122,
       "tool_calls",
       ""},
      {"sse/vercel-ai-chunks/cohere-text.chunks.txt",
       "",
       11,
       std::nullopt,
       {0, "e3b0c442"},
       {0, "e3b0c442"},
       0,
       std::nullopt,
       std::nullopt,
       "",
       ""},
      {"sse/vercel-ai-chunks/deepseek-tool-call.chunks.txt",
       "openai-chat",
       52,
       2,
       {0, "e3b0c442"},
       {191, "e9e5190a"},
       11,
       339,
       83,
       "tool_calls",
       ""},
      {"sse/vercel-ai-chunks/duplicate-message-start.chunks.txt",
       "anthropic",
       7,
       4,
       {13, "dffd6021"},
       {0, "e3b0c442"},
       0,
       17,
       227,
       "end_turn",
       "done"},
      {"sse/vercel-ai-chunks/google-text.chunks.txt",
       "gemini",
       3,
       1,
       {55, "47f9afd1"},
       {0, "e3b0c442"},
       0,
       9,
       208,
       "STOP",
       ""},
      {"sse/vercel-ai-chunks/groq-tool-call.chunks.txt",
       "openai-chat",
       3,
       2,
       {0, "e3b0c442"},
       {0, "e3b0c442"},
       1,
       210,
       15,
       "tool_calls",
       ""},
      {"sse/vercel-ai-chunks/mistral-incremental-tool-call.chunks.txt",
       "openai-chat",
       3,
       1,
       {0, "e3b0c442"},
       {0, "e3b0c442"},
       2,
       171,
       14,
       "tool_calls",
       ""},
      {"sse/vercel-ai-chunks/mistral-reasoning.chunks.txt",
       "openai-chat",
       4,
       1,
       {9, "e93dff0d"},
       {60, "3ee98375"},
       0,
       10,
       46,
       "stop",
       ""},
      {"sse/vercel-ai-chunks/mistral-text.chunks.txt",
       "openai-chat",
       8,
       2,
       {38, "6f535b2d"},
       {0, "e3b0c442"},
       0,
       13,
       8,
       "stop",
       ""},
      {"sse/vercel-ai-chunks/moonshotai-stream.chunks.txt",
       "openai-chat",
       4,
       1,
       {6, "334d016f"},
       {16, "7e3fc13c"},
       0,
       9,
       12,
       "stop",
       ""},
      {"sse/vercel-ai-chunks/openai-completion-text.chunks.txt",
       "openai",
       17,
       1,
       {66, "a02d4217"},
       {0, "e3b0c442"},
       0,
       14,
       16,
       "length",
       ""},
      {"sse/vercel-ai-chunks/openai-error.1.chunks.txt",
       "openai-responses",
       4,
       std::nullopt,
       {0, "e3b0c442"},
       {0, "e3b0c442"},
       0,
       std::nullopt,
       std::nullopt,
       "",
       "error"},
      {"sse/vercel-ai-chunks/openai-text.chunks.txt",
       "openai-chat",
       303,
       2,
       {1730, "53b2d9e5"},
       {0, "e3b0c442"},
       0,
       16,
       300,
       "stop",
       ""},
      {"sse/vercel-ai-chunks/spliced-message-start.chunks.txt",
       "anthropic",
       17,
       3,
       {0, "e3b0c442"},
       {42, "2a7b3812"},
       4,
       17,
       65,
       "tool_use",
       "done"},
      {"eventstream/bedrock-recorded/test_bedrock_model_code_execution_tool_stream.0.bin",
       "bedrock-converse",
       12,
       2,
       {0, "e3b0c442"},
       {0, "e3b0c442"},
       4,
       1002,
       59,
       "tool_use",
       ""},
      {"eventstream/bedrock-recorded/test_bedrock_model_iter_stream.0.bin",
       "bedrock-converse",
       26,
       2,
       {283, "2b0f9027"},
       {0, "e3b0c442"},
       2,
       471,
       91,
       "tool_use",
       ""},
      {"eventstream/bedrock-recorded/test_bedrock_model_stream.0.bin",
       "bedrock-converse",
       33,
       2,
       {375, "eab28e46"},
       {0, "e3b0c442"},
       0,
       13,
       82,
       "end_turn",
       ""},
      {"eventstream/bedrock-recorded/test_bedrock_model_stream_empty_text_delta.0.bin",
       "bedrock-converse",
       10,
       4,
       {32, "fda564ba"},
       {119, "87a87812"},
       0,
       70,
       43,
       "end_turn",
       ""},
      {"eventstream/bedrock-recorded/test_bedrock_model_stream_with_extra_headers.0.bin",
       "bedrock-converse",
       12,
       2,
       {121, "91ce03a0"},
       {0, "e3b0c442"},
       0,
       2,
       32,
       "end_turn",
       ""},
      {"eventstream/bedrock-recorded/test_bedrock_model_thinking_part_stream.0.bin",
       "bedrock-converse",
       25,
       2,
       {55, "cf0df416"},
       {193, "bd092558"},
       0,
       36,
       73,
       "end_turn",
       ""},
      {"eventstream/bedrock-recorded/test_bedrock_native_output_stream.0.bin",
       "bedrock-converse",
       9,
       2,
       {56, "b58b090c"},
       {0, "e3b0c442"},
       0,
       210,
       18,
       "end_turn",
       ""},

  };
  return all;
}

fs::path folder() {
  const char* shared = std::getenv("STEELYARD_SHARED");
  return fs::path(shared == nullptr ? "/nowhere" : shared) / "data";
}

std::string text_of(const std::string& text) {
  return fmt::format("{} {}", text.size(), base::hex(base::sha256(text)).substr(0, 8));
}
std::string text_of(const Text& text) { return fmt::format("{} {}", text.bytes, text.sha256); }

void expect_read(const Expected& one, const StreamFacts& facts) {
  EXPECT_EQ(facts.recognised, !one.dialect.empty());
  if (facts.recognised) {
    EXPECT_EQ(facts.dialect->name, one.dialect);
  }
  EXPECT_EQ(facts.events.size(), one.events);
  EXPECT_EQ(facts.first_token_event, one.first_token);
  EXPECT_EQ(text_of(facts.content), text_of(one.content)) << facts.content;
  EXPECT_EQ(text_of(facts.reasoning), text_of(one.reasoning)) << facts.reasoning;
  EXPECT_EQ(facts.tool_call_chunks, one.tool_calls);
  const platform::Usage usage = facts.usage.value_or(platform::Usage{});
  EXPECT_EQ(usage.input_tokens, one.input_tokens);
  EXPECT_EQ(facts.output_tokens, one.output_tokens);
  EXPECT_EQ(facts.origin, one.output_tokens ? TokenOrigin::kUsage : TokenOrigin::kNone);
  EXPECT_EQ(facts.finish_reason, one.finish_reason);
  EXPECT_EQ(facts.done, one.end == "done");
  EXPECT_EQ(facts.error.empty(), one.end != "error");
  EXPECT_EQ(facts.malformed, 0);
  EXPECT_FALSE(facts.cut_short);
  const std::string_view outcome = one.end == "error"    ? "error_in_band"
                                   : one.dialect.empty() ? "protocol"
                                                         : "completed";
  EXPECT_EQ(key_of(facts.log.outcome), outcome) << verdict(facts);
}

TEST(RecordedAnswers, are_decoded_as_they_were_meant) {
  std::size_t missing = 0;
  for (const Expected& one : expected()) {
    const fs::path path = folder() / one.file;
    if (!fs::exists(path)) {
      ++missing;
      continue;
    }
    SCOPED_TRACE(one.file);
    const auto facts =
        inspect_stream(std::string(one.file), base::read_file(path.string()).value());
    ASSERT_TRUE(facts) << base::to_line(facts.error());
    expect_read(one, *facts);
  }
  if (missing > 0) {
    GTEST_SKIP() << missing << " of " << expected().size() << " recorded answers are not in "
                 << folder() << " (STEELYARD_SHARED): passed over";
  }
}

// Whatever is cut off an answer, the text so far stands, and it is not called complete before its
// reason has come.
TEST(RecordedAnswers, cut_anywhere_are_truncated) {
  std::size_t missing = 0;
  for (const Expected& one : expected()) {
    const fs::path path = folder() / one.file;
    if (!fs::exists(path)) {
      ++missing;
      continue;
    }
    SCOPED_TRACE(one.file);
    const std::string bytes = base::read_file(path.string()).value();
    const std::string whole = inspect_stream("whole", bytes).value().content;
    const std::size_t step = bytes.size() / 40 + 1;
    for (std::size_t length = step; length < bytes.size(); length += step) {
      const auto facts = inspect_stream("cut", bytes.substr(0, length));
      if (!facts) {
        EXPECT_NE(facts.error().what, "");
        continue;
      }
      EXPECT_TRUE(whole.starts_with(facts->content)) << length;
      EXPECT_TRUE(facts->finished || facts->done || !facts->failure.empty()) << length;
    }
  }
  if (missing > 0) {
    GTEST_SKIP() << missing << " recorded answers passed over";
  }
}

// Files beside those: none may be taken for what it is not without a word.
TEST(RecordedAnswers, every_other_file_has_a_verdict_or_one_clear_line) {
  std::size_t seen = 0;
  for (const std::string_view part : {"sse", "eventstream"}) {
    if (!fs::exists(folder() / part)) {
      continue;
    }
    for (const auto& entry : fs::recursive_directory_iterator(folder() / part)) {
      if (!entry.is_regular_file()) {
        continue;
      }
      ++seen;
      SCOPED_TRACE(entry.path());
      const auto facts = inspect_stream("f", base::read_file(entry.path().string()).value());
      if (facts) {
        EXPECT_NE(verdict(*facts), "");
      } else {
        EXPECT_EQ(facts.error().code, base::ErrorCode::kBadInput);
        EXPECT_NE(facts.error().what, "");
      }
    }
  }
  if (seen == 0) {
    GTEST_SKIP() << "0 files in " << folder() << " (STEELYARD_SHARED): all passed over";
  }
}

}  // namespace
}  // namespace steelyard::command
