#include "platform/platforms.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/text.h"
#include "platform/azure_openai.h"
#include "platform/bedrock.h"
#include "platform/llama_cpp.h"
#include "platform/modal.h"
#include "platform/ollama.h"
#include "platform/openai_dialect.h"
#include "platform/replicate.h"
#include "platform/sagemaker.h"
#include "platform/sglang.h"
#include "platform/tgi.h"
#include "platform/triton.h"
#include "platform/vertex.h"

namespace steelyard::platform {
namespace {

constexpr const Dialect* kChat = &kOpenAiChat;
constexpr const Dialect* kText = &kOpenAiCompletions;

using Names = std::array<std::string_view, 1>;

// Servers that anyone may run, behind whichever gateway: all schemes, or none.
constexpr Names kOpenAiKey = {"OPENAI_API_KEY"};
constexpr std::array kAnyScheme = {Scheme::kBearer,  Scheme::kToken,   Scheme::kHeader,
                                   Scheme::kApiKey,  Scheme::kAppCode, Scheme::kIamToken,
                                   Scheme::kEasHmac, Scheme::kSdkHmac, Scheme::kSigV4,
                                   Scheme::kTc3,     Scheme::kGoogle};
constexpr PlatformAuth kAnywhere{kAnyScheme, kOpenAiKey, true, ""};

// Hosted services with keys of their own.
constexpr std::array kBearer = {Scheme::kBearer};
template <const auto& kVariables>
constexpr PlatformAuth kHosted{kBearer, kVariables, false, ""};
constexpr Names kTogetherKey = {"TOGETHER_API_KEY"};
constexpr Names kNimKey = {"NVIDIA_API_KEY"};
constexpr Names kBailianKey = {"DASHSCOPE_API_KEY"};
constexpr Names kMaasKey = {"MAAS_API_KEY"};
constexpr Names kTokenHubKey = {"TOKENHUB_API_KEY"};
constexpr Names kHunyuanKey = {"HUNYUAN_API_KEY"};

constexpr std::array<std::string_view, 2> kReplicateKeys = {"REPLICATE_API_TOKEN",
                                                            "OPENAI_API_KEY"};
constexpr PlatformAuth kReplicateAuth{kBearer, kReplicateKeys, true, ""};
constexpr Names kVastKey = {"OPEN_BUTTON_TOKEN"};
constexpr PlatformAuth kVast{kBearer, kVastKey, true, ""};
constexpr PlatformAuth kNim{kBearer, kNimKey, true, ""};

constexpr Names kEasToken = {"EAS_SERVICE_TOKEN"};
constexpr std::array kEasSchemes = {Scheme::kToken, Scheme::kBearer, Scheme::kEasHmac};
constexpr PlatformAuth kEas{kEasSchemes, kEasToken, false, ""};

constexpr Names kModelArtsKey = {"MODELARTS_API_KEY"};
constexpr std::array kModelArtsSchemes = {Scheme::kSdkHmac, Scheme::kAppCode, Scheme::kIamToken,
                                          Scheme::kBearer};
constexpr PlatformAuth kModelArts{kModelArtsSchemes, kModelArtsKey, false, ""};

constexpr Names kTiOneToken = {"TIONE_AUTH_TOKEN"};
constexpr std::array kTiOneSchemes = {Scheme::kToken, Scheme::kBearer};
constexpr PlatformAuth kTiOne{kTiOneSchemes, kTiOneToken, true, ""};

constexpr std::array kSigV4Alone = {Scheme::kSigV4};
constexpr PlatformAuth kSagemakerAuth{kSigV4Alone, {}, false, "sagemaker"};
constexpr Names kBedrockKey = {"AWS_BEARER_TOKEN_BEDROCK"};
constexpr std::array kBedrockSchemes = {Scheme::kSigV4, Scheme::kBearer};
constexpr PlatformAuth kBedrock{kBedrockSchemes, kBedrockKey, false, "bedrock"};

constexpr std::array kGoogleSchemes = {Scheme::kGoogle, Scheme::kBearer};
constexpr Names kVertexToken = {"GOOGLE_OAUTH_ACCESS_TOKEN"};
constexpr PlatformAuth kVertex{kGoogleSchemes, kVertexToken, false, ""};

constexpr Names kAzureKey = {"AZURE_OPENAI_API_KEY"};
constexpr std::array kAzureSchemes = {Scheme::kApiKey, Scheme::kBearer};
constexpr PlatformAuth kAzureOpenAi{kAzureSchemes, kAzureKey, false, ""};
constexpr Names kAzureMlKey = {"AZUREML_ENDPOINT_KEY"};

const std::array kPlatforms = {
    Platform{"openai", "OpenAI-compatible", nullptr, kChat, kText, kAnywhere},
    Platform{"vllm", "vLLM", nullptr, kChat, kText, kAnywhere},
    Platform{"sglang", "SGLang", &kSglang, kChat, kText, kAnywhere},
    Platform{"tgi", "Hugging Face TGI", &kTgi, kChat, kText, kAnywhere},
    Platform{"llama.cpp", "llama.cpp server", &kLlamaCpp, kChat, kText, kAnywhere},
    Platform{"ollama", "Ollama", &kOllama, kChat, kText, kAnywhere},
    Platform{"triton", "NVIDIA Triton, vLLM backend", &kTriton, nullptr, nullptr, kAnywhere},
    Platform{"triton-trtllm", "NVIDIA Triton, TensorRT-LLM ensemble", &kTritonTrtLlm, nullptr,
             nullptr, kAnywhere},
    Platform{"nim", "NVIDIA NIM", nullptr, kChat, kText, kNim},
    Platform{"replicate", "Replicate", &kReplicate, nullptr, nullptr, kReplicateAuth},
    Platform{"modal", "Modal", nullptr, &kModalChat, &kModalCompletions, kAnywhere},
    Platform{"together", "Together AI", nullptr, kChat, kText, kHosted<kTogetherKey>},
    Platform{"vast", "Vast.ai", nullptr, kChat, kText, kVast},
    Platform{"pai-eas", "Alibaba PAI-EAS", nullptr, kChat, kText, kEas},
    Platform{"bailian", "Alibaba Bailian", nullptr, kChat, kText, kHosted<kBailianKey>},
    Platform{"modelarts", "Huawei ModelArts", nullptr, kChat, kText, kModelArts},
    Platform{"huawei-maas", "Huawei MaaS", nullptr, kChat, nullptr, kHosted<kMaasKey>},
    Platform{"ti-one", "Tencent TI-ONE", nullptr, kChat, kText, kTiOne},
    Platform{"tokenhub", "Tencent TokenHub", nullptr, kChat, nullptr, kHosted<kTokenHubKey>},
    Platform{"hunyuan", "Tencent Hunyuan", nullptr, kChat, nullptr, kHosted<kHunyuanKey>},
    Platform{"sagemaker", "Amazon SageMaker", &kSagemaker, &kSagemakerChat, &kSagemakerCompletions,
             kSagemakerAuth},
    Platform{"bedrock", "Amazon Bedrock", &kBedrockConverse, nullptr, nullptr, kBedrock},
    Platform{"bedrock-invoke", "Amazon Bedrock, InvokeModel", &kBedrockInvoke, nullptr, nullptr,
             kBedrock},
    Platform{"vertex", "Google Vertex AI", nullptr, &kVertexChat, nullptr, kVertex},
    Platform{"vertex-raw", "Google Vertex AI, rawPredict", &kVertexRaw, nullptr, nullptr, kVertex},
    Platform{"azure-openai", "Azure OpenAI", nullptr, &kAzureOpenAiChat, &kAzureOpenAiCompletions,
             kAzureOpenAi},
    Platform{"azure-ml", "Azure Machine Learning", nullptr, kChat, kText, kHosted<kAzureMlKey>},
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
