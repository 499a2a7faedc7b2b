#include "platform/platforms.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/text.h"
#include "platform/llama_cpp.h"
#include "platform/modal.h"
#include "platform/ollama.h"
#include "platform/openai_dialect.h"
#include "platform/replicate.h"
#include "platform/sglang.h"
#include "platform/tgi.h"
#include "platform/triton.h"

namespace steelyard::platform {
namespace {

constexpr const Dialect* kChat = &kOpenAiChat;
constexpr const Dialect* kText = &kOpenAiCompletions;

// Servers that anyone may run, behind whichever gateway: all schemes, or none.
const PlatformAuth& anywhere() {
  static constexpr std::array<std::string_view, 1> kVariables = {"OPENAI_API_KEY"};
  static constexpr std::array kSchemes = {Scheme::kBearer,  Scheme::kToken,   Scheme::kHeader,
                                          Scheme::kApiKey,  Scheme::kAppCode, Scheme::kIamToken,
                                          Scheme::kEasHmac, Scheme::kSdkHmac, Scheme::kSigV4,
                                          Scheme::kTc3,     Scheme::kGoogle};
  static constexpr PlatformAuth kAuth{kSchemes, kVariables, true, ""};
  return kAuth;
}

constexpr std::array kBearerAlone = {Scheme::kBearer};
constexpr std::array<std::string_view, 2> kReplicateKeys = {"REPLICATE_API_TOKEN",
                                                            "OPENAI_API_KEY"};
constexpr PlatformAuth kReplicateAuth{kBearerAlone, kReplicateKeys, true, ""};

const std::array kPlatforms = {
    Platform{"openai", "OpenAI-compatible", nullptr, kChat, kText, anywhere()},
    Platform{"vllm", "vLLM", nullptr, kChat, kText, anywhere()},
    Platform{"sglang", "SGLang", &kSglang, kChat, kText, anywhere()},
    Platform{"tgi", "Hugging Face TGI", &kTgi, kChat, kText, anywhere()},
    Platform{"llama.cpp", "llama.cpp server", &kLlamaCpp, kChat, kText, anywhere()},
    Platform{"ollama", "Ollama", &kOllama, kChat, kText, anywhere()},
    Platform{"triton", "NVIDIA Triton, vLLM backend", &kTriton, nullptr, nullptr, anywhere()},
    Platform{"triton-trtllm", "NVIDIA Triton, TensorRT-LLM ensemble", &kTritonTrtLlm, nullptr,
             nullptr, anywhere()},
    Platform{"replicate", "Replicate", &kReplicate, nullptr, nullptr, kReplicateAuth},
    Platform{"modal", "Modal", nullptr, &kModalChat, &kModalCompletions, anywhere()},
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
  const std::array<std::pair<std::string_view, const Dialect*>, 3> types = {
      {{"native", platform.native},
       {"chat", platform.chat},
       {"completions", platform.completions}}};
  std::string there;
  bool known = false;
  for (const auto& [name, dialect] : types) {
    if (dialect != nullptr && (type.empty() || type == name)) {
      return dialect;
    }
    known = known || type == name;
    if (dialect != nullptr) {
      there += fmt::format("{}{}", there.empty() ? "" : " or ", name);
    }
  }
  return base::bad_input(where,
                         known ? fmt::format("{} has no {} endpoint", platform.title, type)
                               : fmt::format("'{}' is not known", base::valid_utf8(type)),
                         there);
}

}  // namespace steelyard::platform
