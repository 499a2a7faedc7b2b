#include "platform/body_template.h"

#include <simdjson.h>

#include <nlohmann/json.hpp>

#include "base/text.h"

namespace steelyard::platform {
namespace {

// The inside of a JSON string.
void append_escaped(std::string_view text, std::string& into) {
  constexpr std::string_view kHex = "0123456789abcdef";
  std::size_t kept = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto c = static_cast<unsigned char>(text[i]);
    if (c >= ' ' && c != '"' && c != '\\') {
      continue;
    }
    into.append(text, kept, i - kept);
    kept = i + 1;
    if (c >= ' ') {
      into.append({'\\', static_cast<char>(c)});
    } else if (c == '\n') {
      into.append("\\n");
    } else {
      into.append("\\u00").append({kHex[c >> 4U], kHex[c & 15U]});
    }
  }
  into.append(text, kept);
}

void append_text(std::string_view text, std::string& into) {
  if (simdjson::validate_utf8(text.data(), text.size())) {
    append_escaped(text, into);
  } else {
    append_escaped(base::valid_utf8(text), into);
  }
}

void append_message(PromptForm form, std::string_view role, std::string_view content,
                    std::string& into) {
  const bool parts = form == PromptForm::kParts;
  into.append(R"({"role":")").append(role).append(R"(","content":)");
  into.append(parts ? R"([{"text":")" : "\"");
  append_text(content, into);
  into.append(parts ? "\"}]}" : "\"}");
}

}  // namespace

BodyTemplate::BodyTemplate(const base::Json& body, PromptForm form) : form_(form) {
  const std::string prompt = base::dump_json(kPromptMark);
  const std::string limit = base::dump_json(kLimitMark);
  std::string rest = base::dump_json(body);
  for (;;) {
    const std::size_t prompt_at = rest.find(prompt);
    const std::size_t limit_at = rest.find(limit);
    const std::size_t at = std::min(prompt_at, limit_at);
    fixed_.push_back(rest.substr(0, at));
    if (at == std::string::npos) {
      return;
    }
    is_prompt_.push_back(prompt_at < limit_at);
    rest.erase(0, at + (is_prompt_.back() ? prompt : limit).size());
  }
}

void BodyTemplate::write(std::span<const PastTurn> history, std::string_view prompt,
                         std::int64_t output_tokens, std::string& into) const {
  into += fixed_.front();
  for (std::size_t i = 0; i < is_prompt_.size(); ++i) {
    if (is_prompt_[i]) {
      write_prompt(history, prompt, into);
    } else {
      into += std::to_string(output_tokens);
    }
    into += fixed_[i + 1];
  }
}

void BodyTemplate::write_prompt(std::span<const PastTurn> history, std::string_view prompt,
                                std::string& into) const {
  if (form_ == PromptForm::kText) {
    into += '"';
    for (const PastTurn& turn : history) {
      append_text(turn.user, into);
      into += "\\n";
      append_text(turn.assistant, into);
      into += "\\n";
    }
    append_text(prompt, into);
    into += '"';
    return;
  }
  into += '[';
  for (const PastTurn& turn : history) {
    append_message(form_, "user", turn.user, into);
    into += ',';
    append_message(form_, "assistant", turn.assistant, into);
    into += ',';
  }
  append_message(form_, "user", prompt, into);
  into += ']';
}

}  // namespace steelyard::platform
