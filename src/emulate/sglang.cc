#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "emulate/native_voices.h"
#include "emulate/words.h"

namespace steelyard::emulate {
namespace {

using base::Json;

Json answer_json(const GenerationRequest& request, std::string_view id, std::int64_t tokens,
                 bool ended) {
  Json info = {{"id", id},
               {"finish_reason", nullptr},
               {"prompt_tokens", request.input_tokens},
               {"completion_tokens", tokens},
               {"cached_tokens", 0}};
  if (ended) {
    info["finish_reason"] = {{"type", "length"}, {"length", tokens}};
  }
  return {{"text", text_of(tokens)}, {"meta_info", info}};
}

// Each event has the whole text so far.
class SglangStream : public StreamWriter {
 public:
  SglangStream(const GenerationRequest& request, std::string_view id)
      : request_(request), id_(id) {}

  void append_tokens(std::int64_t first, std::int64_t count, std::string& to) const override {
    const std::int64_t tokens = first + count;
    to += sse_data(answer_json(request_, id_, tokens, tokens == request_.output_tokens));
  }
  [[nodiscard]] std::string ending(std::int64_t output_tokens) const override {
    const std::string last = output_tokens > 0 ? "" : sse_data(answer_json(request_, id_, 0, true));
    return last + "data: [DONE]\n\n";
  }
  [[nodiscard]] std::string error(std::string_view message) const override {
    return sse_data({{"error", {{"message", message}}}}) + "data: [DONE]\n\n";
  }

 private:
  GenerationRequest request_;
  std::string id_;
};

class SglangVoice : public Voice {
 public:
  [[nodiscard]] bool takes(std::string_view path) const override { return path == "/generate"; }

  [[nodiscard]] ParsedRequest parse(std::string_view /*path*/,
                                    std::string_view text) const override {
    const auto body = body_object(text);
    if (!body) {
      return tl::unexpected(body.error());
    }
    if (!body->contains("text") && !body->contains("input_ids")) {
      return tl::unexpected(std::string("either text or input_ids is required"));
    }
    GenerationRequest request;
    request.input_tokens = words_of((*body)[body->contains("text") ? "text" : "input_ids"]);
    const auto stream = flag_in(*body, "stream", false);
    const auto limit = limit_in(body->value("sampling_params", Json::object()), "max_new_tokens");
    if (!stream || !limit) {
      return tl::unexpected(stream ? limit.error() : stream.error());
    }
    request.stream = *stream;
    request.output_tokens = *limit;
    return request;
  }

  [[nodiscard]] Answer error(int status, std::string_view message) const override {
    return {status, base::dump_json(Json{{"error", {{"message", message}}}})};
  }

  [[nodiscard]] Answer whole(const GenerationRequest& request, std::string_view id) const override {
    return {200, base::dump_json(answer_json(request, id, request.output_tokens, true))};
  }

  [[nodiscard]] std::unique_ptr<StreamWriter> stream(const GenerationRequest& request,
                                                     std::string_view id) const override {
    return std::make_unique<SglangStream>(request, id);
  }

  [[nodiscard]] std::optional<Answer> look(std::string_view path,
                                           std::string_view model) const override {
    if (path != "/get_model_info") {
      return std::nullopt;
    }
    return Answer{200, base::dump_json(Json{{"model_path", model}, {"is_generation", true}})};
  }
};

}  // namespace

std::shared_ptr<const Voice> sglang_voice() { return std::make_shared<SglangVoice>(); }

}  // namespace steelyard::emulate
