#include "platform/vertex.h"

#include "platform/openai_dialect.h"

namespace steelyard::platform {
namespace {

Dialect at(std::string (*path)(const RequestOptions&)) {
  Dialect dialect = kOpenAiChat;
  dialect.path = path;
  return dialect;
}

}  // namespace

const Dialect kVertexChat =
    at([](const RequestOptions&) -> std::string { return "/chat/completions"; });
const Dialect kVertexRaw = at([](const RequestOptions& options) -> std::string {
  return options.stream ? ":streamRawPredict" : ":rawPredict";
});

}  // namespace steelyard::platform
