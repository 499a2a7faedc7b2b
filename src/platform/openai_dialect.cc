#include "platform/openai_dialect.h"

#include <fmt/format.h>
#include <simdjson.h>

#include <cstring>

#include "base/text.h"

namespace steelyard::platform {
namespace {

using simdjson::dom::element;

std::string_view text_at(element object, std::string_view key) {
  std::string_view text;
  return object[key].get(text) == simdjson::SUCCESS ? text : std::string_view{};
}

// No request has more; a larger count is garbage, and would ruin every sum (and fill the memory:
// ITL has a sample a token).
constexpr std::int64_t kMostTokens = 20'000'000;

// Floats such as 15.0 are accepted: some proxies re-encode counts.
std::optional<std::int64_t> count_at(element object, std::string_view key) {
  std::int64_t count = 0;
  if (object[key].get(count) == simdjson::SUCCESS) {
    return count >= 0 && count <= kMostTokens ? std::optional(count) : std::nullopt;
  }
  double number = 0;
  if (object[key].get(number) == simdjson::SUCCESS && number >= 0 && number <= kMostTokens) {
    return static_cast<std::int64_t>(number);
  }
  return std::nullopt;
}

std::optional<std::int64_t> detail_at(element usage, std::string_view details,
                                      std::string_view key) {
  element object;
  return usage[details].get(object) == simdjson::SUCCESS ? count_at(object, key) : std::nullopt;
}

std::optional<Usage> usage_of(element root) {
  element usage;
  if ((root["usage"].get(usage) != simdjson::SUCCESS || !usage.is_object()) &&
      (root["x_groq"]["usage"].get(usage) != simdjson::SUCCESS || !usage.is_object())) {
    return std::nullopt;
  }
  return Usage{count_at(usage, "prompt_tokens"), count_at(usage, "completion_tokens"),
               detail_at(usage, "prompt_tokens_details", "cached_tokens"),
               detail_at(usage, "completion_tokens_details", "reasoning_tokens")};
}

// A piece with only an index or an id announces a call; the name or arguments are its tokens.
bool tool_call_in(element message) {
  simdjson::dom::array calls;
  if (message["tool_calls"].get(calls) != simdjson::SUCCESS) {
    return false;
  }
  for (const element call : calls) {
    element function;
    if (call["function"].get(function) == simdjson::SUCCESS &&
        (!text_at(function, "name").empty() || !text_at(function, "arguments").empty())) {
      return true;
    }
  }
  return false;
}

void keep_first(std::string_view& kept, std::string_view found) {
  if (kept.empty()) {
    kept = found;
  }
}

// Mistral's content of a thinking model: [{"type": "thinking", "thinking": [{"type": "text",
// "text":
// ...}]}, {"type": "text", "text": ...}].
void read_parts(const simdjson::dom::array& parts, OpenAiEvent& event) {
  for (const element part : parts) {
    keep_first(event.content, text_at(part, "text"));
    simdjson::dom::array thoughts;
    if (part["thinking"].get(thoughts) == simdjson::SUCCESS) {
      for (const element thought : thoughts) {
        keep_first(event.reasoning, text_at(thought, "text"));
      }
    }
  }
}

void read_choice(element choice, OpenAiEvent& event) {
  keep_first(event.content, text_at(choice, "text"));
  event.finished = event.finished || !text_at(choice, "finish_reason").empty();
  for (const std::string_view part : {"delta", "message"}) {
    element message;
    if (choice[part].get(message) == simdjson::SUCCESS && message.is_object()) {
      keep_first(event.content, text_at(message, "content"));
      simdjson::dom::array parts;
      if (message["content"].get(parts) == simdjson::SUCCESS) {
        read_parts(parts, event);
      }
      keep_first(event.reasoning, text_at(message, "reasoning_content"));
      keep_first(event.reasoning, text_at(message, "reasoning"));
      event.has_tool_call = event.has_tool_call || tool_call_in(message);
    }
  }
}

// {"error": {"message": ...}}, {"error": "..."}, and vLLM's {"object": "error", "message": ...}.
std::optional<std::string_view> error_of(element root, std::string_view event_type,
                                         std::string_view data) {
  element error;
  if (root["error"].get(error) == simdjson::SUCCESS && !error.is_null()) {
    std::string_view words;
    if (error.get(words) == simdjson::SUCCESS) {
      return words;
    }
    words = error.is_object() ? text_at(error, "message") : std::string_view{};
    return words.empty() ? data : words;
  }
  if (event_type == "error" || text_at(root, "object") == "error") {
    const std::string_view words = text_at(root, "message");
    return words.empty() ? data : words;
  }
  return std::nullopt;
}

// So many events read by the pattern pay for its making.
constexpr std::int32_t kMatchesATry = 4;

// Whether it may stand between two quotes as it is and be read without a second look: an escape of
// a code unit is left to the parser, which knows about surrogates.
bool is_string_inside(std::string_view text) {
  bool ascii = true;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto c = static_cast<unsigned char>(text[i]);
    if (c == '"' || c < ' ') {
      return false;
    }
    if (c == '\\') {
      constexpr std::string_view kSimple = "\"\\/bfnrt";
      ++i;
      if (i == text.size() || kSimple.find(text[i]) == std::string_view::npos) {
        return false;
      }
    }
    ascii = ascii && c < 0x80;
  }
  return ascii || simdjson::validate_utf8(text.data(), text.size());
}

}  // namespace

struct OpenAiReader::State {
  simdjson::dom::parser parser;
  std::string repaired;
  std::string buffer;  // the event and the slack that simdjson reads beyond it

  simdjson::simdjson_result<element> parse(std::string_view data) {
    const std::size_t needed = data.size() + simdjson::SIMDJSON_PADDING;
    if (buffer.size() < needed) {
      buffer.resize(2 * needed);
    }
    std::memcpy(buffer.data(), data.data(), data.size());
    std::memset(buffer.data() + data.size(), 0, simdjson::SIMDJSON_PADDING);
    return parser.parse(buffer.data(), data.size(), false);
  }
};

OpenAiReader::OpenAiReader() : state_(std::make_unique<State>()) {}
OpenAiReader::~OpenAiReader() = default;

OpenAiEvent OpenAiReader::read(std::string_view event_type, std::string_view data) {
  OpenAiEvent event;
  if (base::trim(data) == "[DONE]") {
    event.kind = OpenAiEvent::Kind::kDone;
    return event;
  }
  auto parsed = state_->parse(data);
  if (parsed.error() == simdjson::UTF8_ERROR) {
    state_->repaired = base::valid_utf8(data);
    parsed = state_->parse(state_->repaired);
  }
  element root;
  if (std::move(parsed).get(root) != simdjson::SUCCESS || !root.is_object()) {
    const bool told = event_type == "error";
    event.kind = told ? OpenAiEvent::Kind::kError : OpenAiEvent::Kind::kMalformed;
    event.error = told ? data : "not a JSON object";
    return event;
  }
  if (const auto words = error_of(root, event_type, data)) {
    event.kind = OpenAiEvent::Kind::kError;
    event.error = *words;
    return event;
  }
  simdjson::dom::array choices;
  if (root["choices"].get(choices) == simdjson::SUCCESS) {
    event.has_choices = true;
    for (const element choice : choices) {
      event.has_choice = true;
      read_choice(choice, event);
    }
  }
  event.usage = usage_of(root);
  return event;
}

OpenAiEvent OpenAiReader::read(std::string_view event_type, std::string_view data,
                               EventPattern& pattern, bool exact_text) {
  if (event_type.empty()) {
    const auto text = pattern.match(data);
    if (text && !(exact_text && text->find('\\') != std::string_view::npos)) {
      OpenAiEvent event;
      event.has_choices = true;
      event.has_choice = true;
      (pattern.reasoning_ ? event.reasoning : event.content) = *text;
      return event;
    }
  }
  const OpenAiEvent event = read(event_type, data);
  if (event_type.empty() && event.plain_text()) {
    learn(event, data, pattern);
    return read(event_type, data);  // the views that learning made void
  }
  return event;
}

// A stream in which more than the text changes (a usage or a padding in every event) is not learnt
// anew for ever.
void OpenAiReader::learn(const OpenAiEvent& event, std::string_view data, EventPattern& pattern) {
  constexpr std::int32_t kTries = 4;
  if (pattern.learned_ >= kTries && pattern.matched_ < kMatchesATry * pattern.learned_) {
    return;
  }
  ++pattern.learned_;
  pattern.before_.clear();
  const bool reasoning = event.content.empty();
  const std::string quoted = fmt::format("\"{}\"", reasoning ? event.reasoning : event.content);
  const std::size_t at = data.rfind(quoted);
  if (at == std::string_view::npos) {
    return;  // escapes: the next one may have none
  }
  // Whether that is the text's place, another text in it tells.
  constexpr std::string_view kProbe = "probe";
  const std::string_view before = data.substr(0, at + 1);
  const std::string_view after = data.substr(at + quoted.size() - 1);
  const std::string probe = fmt::format("{}{}{}", before, kProbe, after);
  const OpenAiEvent probed = read("", probe);
  if (!probed.plain_text() || (reasoning ? probed.reasoning : probed.content) != kProbe) {
    return;
  }
  pattern.before_ = before;
  pattern.after_ = after;
  pattern.reasoning_ = reasoning;
}

void EventPattern::reset() {
  before_.clear();
  learned_ = 0;
  matched_ = 0;
}

std::optional<std::string_view> EventPattern::match(std::string_view data) {
  if (before_.empty() || data.size() <= before_.size() + after_.size() ||
      !data.starts_with(before_) || !data.ends_with(after_)) {
    return std::nullopt;
  }
  const std::string_view text =
      data.substr(before_.size(), data.size() - before_.size() - after_.size());
  if (!is_string_inside(text)) {
    return std::nullopt;
  }
  ++matched_;
  return text;
}

}  // namespace steelyard::platform
