#include "platform/event_pattern.h"

#include <fmt/format.h>
#include <simdjson.h>

namespace steelyard::platform {
namespace {

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

AnswerEvent EventPattern::read(std::string_view data, bool exact_text, const Read& read) {
  const auto text = match(data);
  if (text && !(exact_text && text->find('\\') != std::string_view::npos)) {
    AnswerEvent event = event_;
    (reasoning_ ? event.reasoning : event.content) = *text;
    return event;
  }
  const AnswerEvent event = read(data);
  if (!event.plain_text()) {
    return event;
  }
  return learn(event, data, read) ? read(data) : event;
}

// A stream in which more than the text changes (a usage or a padding in every event) is not learnt
// anew for ever.
bool EventPattern::learn(const AnswerEvent& event, std::string_view data, const Read& read) {
  constexpr std::int32_t kTries = 4;
  if (learned_ >= kTries && matched_ < kMatchesATry * learned_) {
    return false;
  }
  ++learned_;
  before_.clear();
  const bool reasoning = event.content.empty();
  const std::string quoted = fmt::format("\"{}\"", reasoning ? event.reasoning : event.content);
  const std::size_t at = data.rfind(quoted);
  if (at == std::string_view::npos) {
    return false;  // escapes: the next one may have none
  }
  // Whether that is the text's place, another text in it tells.
  constexpr std::string_view kProbe = "probe";
  const std::string_view before = data.substr(0, at + 1);
  const std::string_view after = data.substr(at + quoted.size() - 1);
  const std::string probe = fmt::format("{}{}{}", before, kProbe, after);
  const AnswerEvent probed = read(probe);
  if (!probed.plain_text() || (reasoning ? probed.reasoning : probed.content) != kProbe) {
    return true;
  }
  before_ = before;
  after_ = after;
  reasoning_ = reasoning;
  event_ = probed;
  event_.content = event_.reasoning = {};
  event_.server = nullptr;
  return true;
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
