#include "platform/sglang.h"

#include <nlohmann/json.hpp>

namespace steelyard::platform {
namespace {

// What of `text` is new. A text that does not begin with the one before it is a piece by itself.
std::string_view new_part(std::string_view text, StreamMemory& memory) {
  if (!text.starts_with(memory.text)) {
    return text;
  }
  const std::size_t had = memory.text.size();
  memory.text.append(text.substr(had));
  return text.substr(had);
}

base::Json body_of(const RequestOptions& options) {
  base::Json sampling = {{"max_new_tokens", kLimitMark}};
  if (options.temperature) {
    sampling["temperature"] = *options.temperature;
  }
  if (options.ignore_eos) {
    sampling["ignore_eos"] = true;
  }
  return {{"text", kPromptMark}, {"sampling_params", sampling}, {"stream", options.stream}};
}

}  // namespace

AnswerEvent SglangReader::read(std::string_view type, std::string_view data, StreamMemory& memory,
                               bool) {
  AnswerEvent event;
  const auto root = open_event(json_, type, data, event);
  if (!root) {
    return event;
  }
  const auto info = object_at(*root, "meta_info");
  if (!info) {
    return event;
  }
  event.known = true;
  event.has_choice = true;
  event.content = new_part(text_at(*root, "text"), memory);
  event.usage = Usage{count_at(*info, "prompt_tokens"), count_at(*info, "completion_tokens"),
                      count_at(*info, "cached_tokens"), std::nullopt};
  const auto reason = object_at(*info, "finish_reason");
  event.finished = reason.has_value();
  event.finish_reason = reason ? text_at(*reason, "type") : "";
  if (const auto whole_s = number_at(*info, "e2e_latency")) {
    times_.execute = base::from_seconds(*whole_s);
    event.server = &times_;
  }
  return event;
}

AnswerEvent SglangReader::read_whole(std::string_view body) {
  StreamMemory none;
  return read("", body, none, true);
}

const Dialect kSglang = {
    "sglang",
    StreamEnd::kDoneOrFinish,
    PromptForm::kText,
    [](const RequestOptions&) -> std::string { return "/generate"; },
    body_of,
    []() -> std::unique_ptr<EventReader> { return std::make_unique<SglangReader>(); },
    true};

}  // namespace steelyard::platform
