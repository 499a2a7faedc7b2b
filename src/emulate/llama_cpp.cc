#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "emulate/native_voices.h"
#include "emulate/words.h"

namespace steelyard::emulate {
namespace {

using base::Json;

Json last_of(const GenerationRequest& request, const std::string& content,
             std::int64_t output_tokens) {
  return {{"index", 0},
          {"content", content},
          {"tokens", Json::array()},
          {"stop", true},
          {"stop_type", "limit"},
          {"tokens_predicted", output_tokens},
          {"tokens_evaluated", request.input_tokens},
          {"tokens_cached", request.input_tokens + output_tokens},
          {"timings", {{"prompt_n", request.input_tokens}, {"predicted_n", output_tokens}}}};
}

class LlamaCppStream : public StreamWriter {
 public:
  explicit LlamaCppStream(const GenerationRequest& request)
      : request_(request),
        around_(sse_data({{"index", 0},
                          {"content", EventAround::kWords},
                          {"tokens", Json::array()},
                          {"stop", false}})) {}

  void append_tokens(std::int64_t first, std::int64_t count, std::string& to) const override {
    around_.append(first, count, to);
  }
  [[nodiscard]] std::string ending(std::int64_t output_tokens) const override {
    return sse_data(last_of(request_, "", output_tokens));
  }
  [[nodiscard]] std::string error(std::string_view message) const override {
    return sse_data({{"error", {{"code", 500}, {"message", message}, {"type", "server_error"}}}});
  }

 private:
  GenerationRequest request_;
  EventAround around_;
};

class LlamaCppVoice : public Voice {
 public:
  [[nodiscard]] bool takes(std::string_view path) const override {
    return path == "/completion" || path == "/completions";
  }

  [[nodiscard]] ParsedRequest parse(std::string_view /*path*/,
                                    std::string_view text) const override {
    auto body = body_object(text);
    if (!body) {
      return tl::unexpected(body.error());
    }
    if (!body->contains("prompt")) {
      return tl::unexpected(std::string("\"prompt\" must be provided"));
    }
    if (body->value("n_predict", Json()) == -1) {  // no limit
      body->erase("n_predict");
    }
    GenerationRequest request;
    request.input_tokens = words_of((*body)["prompt"]);
    const auto stream = flag_in(*body, "stream", false);
    const auto limit = limit_in(*body, "n_predict");
    if (!stream || !limit) {
      return tl::unexpected(stream ? limit.error() : stream.error());
    }
    request.stream = *stream;
    request.output_tokens = *limit;
    return request;
  }

  [[nodiscard]] Answer error(int status, std::string_view message) const override {
    const Json error = {{"code", status},
                        {"message", message},
                        {"type", status < 500 ? "invalid_request_error" : "unavailable_error"}};
    return {status, base::dump_json(Json{{"error", error}})};
  }

  [[nodiscard]] Answer whole(const GenerationRequest& request,
                             std::string_view /*id*/) const override {
    return {200, base::dump_json(
                     last_of(request, text_of(request.output_tokens), request.output_tokens))};
  }

  [[nodiscard]] std::unique_ptr<StreamWriter> stream(const GenerationRequest& request,
                                                     std::string_view /*id*/) const override {
    return std::make_unique<LlamaCppStream>(request);
  }

  [[nodiscard]] std::optional<Answer> look(std::string_view path,
                                           std::string_view model) const override {
    if (path == "/props") {
      return Answer{200, base::dump_json(Json{{"total_slots", 1}, {"model_path", model}})};
    }
    return path == "/health" ? std::optional(Answer{200, R"({"status":"ok"})"}) : std::nullopt;
  }
};

}  // namespace

std::shared_ptr<const Voice> llama_cpp_voice() { return std::make_shared<LlamaCppVoice>(); }

}  // namespace steelyard::emulate
