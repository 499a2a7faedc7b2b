#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "emulate/native_voices.h"
#include "emulate/words.h"

namespace steelyard::emulate {
namespace {

using base::Json;

std::string type_of(int status) {
  switch (status) {
    case 429:
    case 503:
      return "overloaded";
    case 400:
    case 422:
      return "validation";
    default:
      return "generation";
  }
}

Json error_json(std::string_view message, const std::string& type) {
  return {{"error", message}, {"error_type", type}};
}

Json details(const GenerationRequest& request, std::int64_t output_tokens) {
  return {{"finish_reason", "length"},
          {"generated_tokens", output_tokens},
          {"seed", nullptr},
          {"input_length", request.input_tokens}};
}

// A token is in its own event, the last of them in that which ends the stream: it is kept back
// until the next one comes. (`index` counts from 1, and every token has the same id here.)
class TgiStream : public StreamWriter {
 public:
  explicit TgiStream(const GenerationRequest& request) : request_(request) {}

  void append_tokens(std::int64_t first, std::int64_t count, std::string& to) const override {
    for (std::int64_t i = first; i < first + count; ++i) {
      const bool last = i + 1 == request_.output_tokens;
      to += event(i, last ? Json(text_of(request_.output_tokens)) : Json(),
                  last ? details(request_, request_.output_tokens) : Json());
    }
  }
  [[nodiscard]] std::string ending(std::int64_t output_tokens) const override {
    // Nothing comes after the last token's event; without any, the end is an event by itself.
    return output_tokens > 0 ? "" : event(-1, Json(""), details(request_, 0));
  }
  [[nodiscard]] std::string error(std::string_view message) const override {
    return "data:" + base::dump_json(error_json(message, "generation")) + "\n\n";
  }

 private:
  static std::string event(std::int64_t index, const Json& generated_text, const Json& details) {
    const bool special = index < 0;
    const Json token = {{"id", special ? 2 : 264},
                        {"text", special ? std::string("</s>") : std::string(word_at(index))},
                        {"logprob", -0.5},
                        {"special", special}};
    const Json json = {{"index", special ? 1 : index + 1},
                       {"token", token},
                       {"generated_text", generated_text},
                       {"details", details}};
    return "data:" + base::dump_json(json) + "\n\n";
  }

  GenerationRequest request_;
};

class TgiVoice : public Voice {
 public:
  [[nodiscard]] bool takes(std::string_view path) const override {
    return path == "/" || path == "/generate" || path == "/generate_stream";
  }

  [[nodiscard]] ParsedRequest parse(std::string_view path, std::string_view text) const override {
    const auto body = body_object(text);
    if (!body) {
      return tl::unexpected(body.error());
    }
    if (!body->contains("inputs") || !(*body)["inputs"].is_string()) {
      return tl::unexpected(std::string("missing field `inputs`"));
    }
    GenerationRequest request;
    request.input_tokens = words_of((*body)["inputs"]);
    request.in_list = path == "/";
    const auto stream = flag_in(*body, "stream", false);
    const Json parameters = body->value("parameters", Json::object());
    const auto limit = limit_in(parameters, "max_new_tokens");
    if (!stream || !limit) {
      return tl::unexpected(stream ? limit.error() : stream.error());
    }
    if (parameters.contains("temperature") && parameters["temperature"].is_number() &&
        parameters["temperature"] <= 0) {
      return tl::unexpected(std::string("`temperature` must be strictly positive"));
    }
    request.stream = path == "/generate_stream" || (path == "/" && *stream);
    request.output_tokens = *limit;
    return request;
  }

  // What a request says that cannot be is 422 there.
  // A wrong key gets no word.
  [[nodiscard]] Answer error(int status, std::string_view message) const override {
    if (status == 401) {
      return {401, "", "text/plain"};
    }
    const int given = status == 400 ? 422 : status;
    return {given, base::dump_json(error_json(message, type_of(given)))};
  }

  [[nodiscard]] Answer whole(const GenerationRequest& request,
                             std::string_view /*id*/) const override {
    const Json json = {{"generated_text", text_of(request.output_tokens)},
                       {"details", details(request, request.output_tokens)}};
    return {200, base::dump_json(request.in_list ? Json::array({json}) : json)};
  }

  [[nodiscard]] std::unique_ptr<StreamWriter> stream(const GenerationRequest& request,
                                                     std::string_view /*id*/) const override {
    return std::make_unique<TgiStream>(request);
  }

  [[nodiscard]] std::optional<Answer> look(std::string_view path,
                                           std::string_view model) const override {
    if (path != "/info") {
      return std::nullopt;
    }
    const Json json = {
        {"model_id", model},        {"model_dtype", "float16"}, {"max_concurrent_requests", 128},
        {"max_input_tokens", 4095}, {"max_total_tokens", 4096}, {"version", "3.3.6"}};
    return Answer{200, base::dump_json(json)};
  }
};

}  // namespace

std::shared_ptr<const Voice> tgi_voice() { return std::make_shared<TgiVoice>(); }

}  // namespace steelyard::emulate
