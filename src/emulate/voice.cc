#include "emulate/voice.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "base/check.h"
#include "base/text.h"
#include "emulate/native_voices.h"
#include "emulate/openai_voice.h"
#include "emulate/words.h"

namespace steelyard::emulate {
namespace {

using base::Json;

constexpr std::size_t kLongestEcho = 80;

}  // namespace

std::vector<std::shared_ptr<const Voice>> voices_of(std::string_view platform) {
  std::vector<std::shared_ptr<const Voice>> voices;
  if (platform == "tgi") {
    voices.push_back(tgi_voice());
  } else if (platform == "sglang") {
    voices.push_back(sglang_voice());
  } else if (platform == "llama.cpp") {
    voices.push_back(llama_cpp_voice());
  } else if (platform == "ollama") {
    voices.push_back(ollama_voice());
  } else if (platform == "triton" || platform == "triton-trtllm") {
    return {triton_voice()};
  } else if (platform != "openai" && platform != "vllm") {
    return {};
  }
  voices.push_back(std::make_shared<OpenAiVoice>());
  return voices;
}

tl::expected<Json, std::string> body_object(std::string_view body) {
  auto json = base::parse_json(body);
  if (!json || !json->is_object()) {
    return tl::unexpected("the body is " + (json ? "not a JSON object" : json.error()));
  }
  return *json;
}

tl::expected<std::int64_t, std::string> limit_in(const Json& object, const char* key) {
  if (!object.contains(key) || object[key].is_null()) {
    return 0;
  }
  const Json& limit = object[key];
  if (!limit.is_number_integer() || limit < 1 || limit > kMostOutputTokens) {
    return tl::unexpected(fmt::format("{} must be an integer from 1 to {}, got {}", key,
                                      kMostOutputTokens,
                                      base::shorten(base::dump_json(limit), kLongestEcho)));
  }
  return limit.get<std::int64_t>();
}

tl::expected<bool, std::string> flag_in(const Json& object, const char* key, bool otherwise) {
  if (!object.contains(key) || object[key].is_null()) {
    return otherwise;
  }
  if (!object[key].is_boolean()) {
    return tl::unexpected(fmt::format("{} must be a boolean", key));
  }
  return object[key].get<bool>();
}

std::string sse_data(const Json& json) { return "data: " + base::dump_json(json) + "\n\n"; }

EventAround::EventAround(std::string_view event) {
  const std::size_t at = event.rfind(kWords);
  STEELYARD_CHECK(at != std::string_view::npos, "an event has a place for its words");
  before_ = event.substr(0, at);
  after_ = event.substr(at + kWords.size());
}

void EventAround::append(std::int64_t first, std::int64_t count, std::string& to) const {
  to += before_;
  append_words(first, count, to);
  to += after_;
}

}  // namespace steelyard::emulate
