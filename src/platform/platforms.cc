#include "platform/platforms.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/text.h"
#include "platform/llama_cpp.h"
#include "platform/ollama.h"
#include "platform/openai_dialect.h"
#include "platform/sglang.h"
#include "platform/tgi.h"
#include "platform/triton.h"

namespace steelyard::platform {
namespace {

const std::array kPlatforms = {
    Platform{"openai", "OpenAI-compatible", nullptr, true},
    Platform{"vllm", "vLLM", nullptr, true},
    Platform{"sglang", "SGLang", &kSglang, true},
    Platform{"tgi", "Hugging Face TGI", &kTgi, true},
    Platform{"llama.cpp", "llama.cpp server", &kLlamaCpp, true},
    Platform{"ollama", "Ollama", &kOllama, true},
    Platform{"triton", "NVIDIA Triton, vLLM backend", &kTriton, false},
    Platform{"triton-trtllm", "NVIDIA Triton, TensorRT-LLM ensemble", &kTritonTrtLlm, false},
};

}  // namespace

std::span<const Platform> platforms() { return kPlatforms; }

std::string platform_names() {
  std::string names;
  for (const Platform& platform : kPlatforms) {
    names += fmt::format("{}{}", names.empty() ? "" : ", ", platform.name);
  }
  return names;
}

base::Result<const Platform*> platform_named(const std::string& where, std::string_view name) {
  const auto* const found = std::ranges::find(kPlatforms, name, &Platform::name);
  if (found == kPlatforms.end()) {
    return base::bad_input(where, fmt::format("'{}' is not known", base::valid_utf8(name)),
                           platform_names());
  }
  return found;
}

base::Result<const Dialect*> dialect_of(const Platform& platform, const std::string& where,
                                        std::string_view type) {
  if (platform.native != nullptr && (type.empty() || type == "native")) {
    return platform.native;
  }
  if (platform.openai && (type.empty() || type == "chat")) {
    return &kOpenAiChat;
  }
  if (platform.openai && type == "completions") {
    return &kOpenAiCompletions;
  }
  const bool known = type == "chat" || type == "completions" || type == "native";
  return base::bad_input(
      where,
      known ? fmt::format("{} has no {} endpoint", platform.title, type)
            : fmt::format("'{}' is not known", base::valid_utf8(type)),
      platform.openai
          ? (platform.native != nullptr ? "completions, chat or native" : "completions or chat")
          : "native");
}

}  // namespace steelyard::platform
