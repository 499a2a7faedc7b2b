#include "platform/azure_openai.h"

#include <fmt/format.h>

#include "base/encoding.h"
#include "platform/openai_dialect.h"

namespace steelyard::platform {
namespace {

constexpr std::string_view kVersion = "2024-10-21";  // the last that is no preview

std::string path_of(const RequestOptions& options, std::string_view what) {
  return fmt::format("/openai/deployments/{}/{}?api-version={}",
                     base::percent_encode(options.model), what,
                     options.api_version.empty() ? std::string(kVersion)
                                                 : base::percent_encode(options.api_version));
}

Dialect at(const Dialect& openai, std::string (*path)(const RequestOptions&)) {
  Dialect dialect = openai;
  dialect.path = path;
  dialect.takes_ignore_eos = false;
  return dialect;
}

}  // namespace

const Dialect kAzureOpenAiChat = at(kOpenAiChat, [](const RequestOptions& options) {
  return path_of(options, "chat/completions");
});
const Dialect kAzureOpenAiCompletions = at(kOpenAiCompletions, [](const RequestOptions& options) {
  return path_of(options, "completions");
});

}  // namespace steelyard::platform
