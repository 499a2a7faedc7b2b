#include "emulate/quick_request.h"

#include <fmt/format.h>
#include <simdjson.h>

namespace steelyard::emulate {
namespace {

using simdjson::dom::element;

constexpr std::size_t kBytesPerToken = 4;

// What is absent or of another type is false.
bool true_at(const simdjson::simdjson_result<element>& value) {
  bool is = false;
  return value.get(is) == simdjson::SUCCESS && is;
}

tl::expected<void, std::string> read_limit(element root, GenerationRequest& request) {
  for (const char* key : {"max_tokens", "max_completion_tokens"}) {
    element limit;
    if (root[key].get(limit) != simdjson::SUCCESS || limit.is_null()) {
      continue;
    }
    std::int64_t count = 0;
    if (limit.get(count) != simdjson::SUCCESS || count < 1 || count > kMostOutputTokens) {
      return tl::unexpected(
          fmt::format("{} must be an integer from 1 to {}", key, kMostOutputTokens));
    }
    request.output_tokens = count;
  }
  return {};
}

}  // namespace

struct QuickRequestReader::Parser {
  simdjson::dom::parser dom;
};

QuickRequestReader::QuickRequestReader() : parser_(std::make_unique<Parser>()) {}
QuickRequestReader::~QuickRequestReader() = default;

tl::expected<GenerationRequest, std::string> QuickRequestReader::read(std::string& body,
                                                                      bool chat) {
  body.reserve(body.size() + simdjson::SIMDJSON_PADDING);
  element root;
  if (parser_->dom.parse(body.data(), body.size(), false).get(root) != simdjson::SUCCESS ||
      !root.is_object()) {
    return tl::unexpected(std::string("the body is not a JSON object"));
  }
  GenerationRequest request;
  request.chat = chat;
  request.input_tokens = static_cast<std::int64_t>(body.size() / kBytesPerToken);
  request.stream = true_at(root["stream"]);
  request.include_usage = true_at(root["stream_options"]["include_usage"]);
  return read_limit(root, request).map([&] { return request; });
}

}  // namespace steelyard::emulate
