#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "base/clock.h"
#include "emulate/native_voices.h"
#include "emulate/words.h"

namespace steelyard::emulate {
namespace {

using base::Json;

// One object a line. `chat` says where the text stands.
Json line_of(const GenerationRequest& request, const Json& text) {
  Json json = {{"model", request.model}, {"created_at", base::iso8601_utc(base::wall_now())}};
  if (request.chat) {
    json["message"] = {{"role", "assistant"}, {"content", text}};
  } else {
    json["response"] = text;
  }
  json["done"] = false;
  return json;
}

std::string as_line(const Json& json) { return base::dump_json(json) + "\n"; }

class OllamaStream : public StreamWriter {
 public:
  explicit OllamaStream(const GenerationRequest& request)
      : request_(request),
        around_(as_line(line_of(request, EventAround::kWords))),
        began_(base::monotonic_now()) {}

  void append_tokens(std::int64_t first, std::int64_t count, std::string& to) const override {
    around_.append(first, count, to);
  }
  [[nodiscard]] std::string ending(std::int64_t output_tokens) const override {
    return as_line(last("", output_tokens));
  }
  [[nodiscard]] std::string error(std::string_view message) const override {
    return as_line({{"error", message}});
  }

  // Durations in nanoseconds; all of it is told as evaluation, as there is no model to load.
  [[nodiscard]] Json last(const std::string& text, std::int64_t output_tokens) const {
    const base::Nanos took = base::monotonic_now() - began_;
    Json json = line_of(request_, text);
    json["done"] = true;
    json["done_reason"] = "length";
    json["total_duration"] = took;
    json["load_duration"] = 0;
    json["prompt_eval_count"] = request_.input_tokens;
    json["prompt_eval_duration"] = 0;
    json["eval_count"] = output_tokens;
    json["eval_duration"] = took;
    return json;
  }

 private:
  GenerationRequest request_;
  EventAround around_;
  base::Nanos began_;
};

tl::expected<std::int64_t, std::string> prompt_words(const Json& body, bool chat) {
  if (!chat) {
    return words_of(body.value("prompt", Json("")));
  }
  if (!body.contains("messages") || !body["messages"].is_array()) {
    return tl::unexpected(std::string("messages must be a list"));
  }
  std::int64_t words = 0;
  for (const Json& message : body["messages"]) {
    if (!message.is_object()) {
      return tl::unexpected(std::string("each message must be an object"));
    }
    words += words_of(message.value("content", Json()));
  }
  return words;
}

class OllamaVoice : public Voice {
 public:
  [[nodiscard]] bool takes(std::string_view path) const override {
    return path == "/api/chat" || path == "/api/generate";
  }

  [[nodiscard]] ParsedRequest parse(std::string_view path, std::string_view text) const override {
    auto body = body_object(text);
    if (!body) {
      return tl::unexpected(body.error());
    }
    if (!body->contains("model") || !(*body)["model"].is_string()) {
      return tl::unexpected(std::string("model is required"));
    }
    GenerationRequest request;
    request.model = (*body)["model"];
    request.chat = path == "/api/chat";
    const auto words = prompt_words(*body, request.chat);
    const auto stream = flag_in(*body, "stream", true);  // unlike all others
    Json options = body->value("options", Json::object());
    if (options.value("num_predict", Json()) == -1) {  // no limit
      options.erase("num_predict");
    }
    const auto limit = limit_in(options, "num_predict");
    if (!words || !stream || !limit) {
      return tl::unexpected(!words ? words.error() : !stream ? stream.error() : limit.error());
    }
    request.input_tokens = *words;
    request.stream = *stream;
    request.output_tokens = *limit;
    return request;
  }

  [[nodiscard]] Answer error(int status, std::string_view message) const override {
    return {status, base::dump_json(Json{{"error", message}})};
  }

  [[nodiscard]] Answer whole(const GenerationRequest& request,
                             std::string_view /*id*/) const override {
    const OllamaStream stream(request);
    return {200,
            base::dump_json(stream.last(text_of(request.output_tokens), request.output_tokens))};
  }

  [[nodiscard]] std::unique_ptr<StreamWriter> stream(const GenerationRequest& request,
                                                     std::string_view /*id*/) const override {
    return std::make_unique<OllamaStream>(request);
  }

  [[nodiscard]] std::string_view stream_type() const override { return "application/x-ndjson"; }

  [[nodiscard]] std::optional<Answer> look(std::string_view path,
                                           std::string_view model) const override {
    if (path == "/api/tags" || path == "/api/ps") {
      const Json one = {{"name", model}, {"model", model}, {"size", 1}};
      return Answer{200, base::dump_json(Json{{"models", Json::array({one})}})};
    }
    return path == "/api/version" ? std::optional(Answer{200, R"({"version":"0.0.0-emulated"})"})
                                  : std::nullopt;
  }
};

}  // namespace

std::shared_ptr<const Voice> ollama_voice() { return std::make_shared<OllamaVoice>(); }

}  // namespace steelyard::emulate
