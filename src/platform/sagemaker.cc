#include "platform/sagemaker.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "base/encoding.h"
#include "platform/openai_dialect.h"
#include "platform/tgi.h"

namespace steelyard::platform {
namespace {

std::string path_of(const RequestOptions& options) {
  return fmt::format("/endpoints/{}/invocations{}", base::percent_encode(options.model),
                     options.stream ? "-response-stream" : "");
}

base::Json inputs_body(const RequestOptions& options) {
  base::Json body = kTgi.body(options);
  body["stream"] = options.stream;
  return body;
}

template <const Dialect& kOpenAi>
base::Json openai_body(const RequestOptions& options) {
  base::Json body = kOpenAi.body(options);
  body.erase("model");
  return body;
}

Dialect there(const Dialect& dialect, base::Json (*body)(const RequestOptions&)) {
  Dialect moved = dialect;
  moved.path = path_of;
  moved.body = body;
  return moved;
}

}  // namespace

const Dialect kSagemaker = there(kTgi, inputs_body);
const Dialect kSagemakerChat = there(kOpenAiChat, openai_body<kOpenAiChat>);
const Dialect kSagemakerCompletions = there(kOpenAiCompletions, openai_body<kOpenAiCompletions>);

}  // namespace steelyard::platform
