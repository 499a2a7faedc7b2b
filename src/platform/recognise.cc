#include "platform/recognise.h"

#include <array>
#include <utility>

#include "platform/anthropic.h"
#include "platform/bedrock.h"
#include "platform/gemini.h"
#include "platform/llama_cpp.h"
#include "platform/ollama.h"
#include "platform/openai_dialect.h"
#include "platform/openai_responses.h"
#include "platform/replicate.h"
#include "platform/sglang.h"
#include "platform/tgi.h"
#include "platform/triton.h"

namespace steelyard::platform {
namespace {

const std::array kDialects = {&kOpenAiChat,   &kOpenAiCompletions,
                              &kAnthropic,    &kOpenAiResponses,
                              &kGemini,       &kTgi,
                              &kSglang,       &kLlamaCpp,
                              &kOllama,       &kTriton,
                              &kReplicate,    &kBedrockConverse,
                              &kBedrockInvoke};

// Known events, then those with tokens.
using Score = std::pair<int, int>;

Score score_of(const AnswerEvent& event) {
  const bool read = event.kind != AnswerEvent::Kind::kMalformed && event.known;
  return {read ? 1 : 0, read && event.bears_tokens() ? 1 : 0};
}

// Chat and completions have one reader: a choice of completions has its text in it.
bool is_completions(std::string_view data) {
  JsonText json;
  const auto root = json.object(data);
  simdjson::dom::array choices;
  if (!root || (*root)["choices"].get(choices) != simdjson::SUCCESS) {
    return false;
  }
  for (const JsonElement choice : choices) {
    std::string_view text;
    return choice["text"].get(text) == simdjson::SUCCESS && !object_at(choice, "delta");
  }
  return text_at(*root, "object").starts_with("text_completion");
}

const Dialect* best(const Dialect* found, std::string_view telling) {
  return found == &kOpenAiChat && is_completions(telling) ? &kOpenAiCompletions : found;
}

}  // namespace

std::span<const Dialect* const> dialects() { return kDialects; }

const Dialect* recognise(std::span<const SeenEvent> events) {
  const Dialect* found = nullptr;
  Score most;
  for (const Dialect* dialect : kDialects) {
    const auto reader = dialect->make_reader();
    StreamMemory memory;
    Score score;
    for (const SeenEvent& event : events) {
      const Score one = score_of(reader->read(event.type, event.data, memory, false));
      score = {score.first + one.first, score.second + one.second};
    }
    if (score > most) {
      most = score;
      found = dialect;
    }
  }
  return best(found, events.empty() ? "" : events.front().data);
}

const Dialect* recognise_whole(std::string_view body) {
  const Dialect* found = nullptr;
  Score most;
  for (const Dialect* dialect : kDialects) {
    const Score score = score_of(dialect->make_reader()->read_whole(body));
    if (score > most) {
      most = score;
      found = dialect;
    }
  }
  return best(found, body);
}

}  // namespace steelyard::platform
