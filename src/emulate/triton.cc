#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "base/text.h"
#include "emulate/native_voices.h"
#include "emulate/words.h"

namespace steelyard::emulate {
namespace {

using base::Json;

constexpr std::string_view kModels = "/v2/models/";

// "/v2/models/MODEL[/versions/V]/WHAT": the model and what is asked of it; else nothing.
struct ModelPath {
  std::string_view model;
  std::string_view what;
};

ModelPath split(std::string_view path) {
  if (!path.starts_with(kModels)) {
    return {};
  }
  path.remove_prefix(kModels.size());
  const std::size_t first = path.find('/');
  const std::size_t last = path.rfind('/');
  if (first == std::string_view::npos) {
    return {path, ""};
  }
  return {path.substr(0, first), path.substr(last + 1)};
}

Json text_json(const GenerationRequest& request, const Json& text) {
  return {{"model_name", request.model}, {"model_version", "1"}, {"text_output", text}};
}

class TritonStream : public StreamWriter {
 public:
  explicit TritonStream(const GenerationRequest& request)
      : around_(sse_data(text_json(request, EventAround::kWords))) {}

  void append_tokens(std::int64_t first, std::int64_t count, std::string& to) const override {
    around_.append(first, count, to);
  }
  [[nodiscard]] std::string ending(std::int64_t /*output_tokens*/) const override { return {}; }
  [[nodiscard]] std::string error(std::string_view message) const override {
    return sse_data({{"error", message}});
  }

 private:
  EventAround around_;
};

class TritonVoice : public Voice {
 public:
  [[nodiscard]] bool takes(std::string_view path) const override {
    const std::string_view what = split(path).what;
    return what == "generate" || what == "generate_stream";
  }

  [[nodiscard]] ParsedRequest parse(std::string_view path, std::string_view text) const override {
    const auto body = body_object(text);
    if (!body) {
      return tl::unexpected(body.error());
    }
    if (!body->contains("text_input") || !(*body)["text_input"].is_string()) {
      return tl::unexpected(std::string("input 'text_input' is missing"));
    }
    const Json parameters = body->value("parameters", Json::object());
    const auto limit = limit_in(body->contains("max_tokens") ? *body : parameters, "max_tokens");
    if (!limit) {
      return tl::unexpected(limit.error());
    }
    GenerationRequest request;
    request.model = split(path).model;
    request.stream = split(path).what == "generate_stream";
    request.input_tokens = words_of((*body)["text_input"]);
    request.output_tokens = *limit;
    return request;
  }

  [[nodiscard]] Answer error(int status, std::string_view message) const override {
    return {status, base::dump_json(Json{{"error", message}})};
  }

  [[nodiscard]] Answer whole(const GenerationRequest& request,
                             std::string_view /*id*/) const override {
    return {200, base::dump_json(text_json(request, text_of(request.output_tokens)))};
  }

  [[nodiscard]] std::unique_ptr<StreamWriter> stream(const GenerationRequest& request,
                                                     std::string_view /*id*/) const override {
    return std::make_unique<TritonStream>(request);
  }

  [[nodiscard]] std::optional<Answer> look(std::string_view path,
                                           std::string_view model) const override {
    if (path == "/v2/health/ready" || path == "/v2/health/live") {
      return Answer{200, ""};
    }
    const ModelPath asked = split(path);
    if (path == "/v2") {
      return Answer{200,
                    R"({"name":"triton","version":"2.0.0-emulated","extensions":["generate"]})"};
    }
    if (asked.model != model) {
      return std::nullopt;
    }
    if (asked.what == "ready") {
      return Answer{200, ""};
    }
    const Json json = {{"name", model},
                       {"versions", {"1"}},
                       {"platform", "emulated"},
                       {"inputs", Json::array()},
                       {"outputs", Json::array()}};
    return asked.what.empty() ? std::optional(Answer{200, base::dump_json(json)}) : std::nullopt;
  }
};

}  // namespace

std::shared_ptr<const Voice> triton_voice() { return std::make_shared<TritonVoice>(); }

}  // namespace steelyard::emulate
