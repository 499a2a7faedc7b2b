#include "platform/openai_request.h"

#include <simdjson.h>

#include <nlohmann/json.hpp>

#include "base/json.h"
#include "base/text.h"

namespace steelyard::platform {

using base::Json;

std::string_view path_of(OpenAiEndpoint endpoint) {
  return endpoint == OpenAiEndpoint::kChat ? "/v1/chat/completions" : "/v1/completions";
}

std::string path_under(const wire::Url& base_url, std::string_view path) {
  constexpr std::string_view kVersion = "/v1";
  if (base_url.path.ends_with(kVersion) && path.starts_with("/v1/")) {
    path.remove_prefix(kVersion.size());
  }
  return std::string(path);
}

base::Status check_extra_body(const std::string& where, const std::string& text) {
  if (text.empty()) {
    return {};
  }
  const auto json = base::parse_json(text);
  if (json && json->is_object()) {
    return {};
  }
  return base::bad_input(where, json ? "not a JSON object" : json.error(),
                         R"(a JSON object, for example {"top_p": 0.9})");
}

namespace {

// Stand for what each body has of its own. A prompt cannot hold them: they are put in afterwards.
constexpr std::string_view kPromptMark = "\x01prompt";
constexpr std::string_view kLimitMark = "\x01limit";

Json common_body(const OpenAiOptions& options) {
  Json body = {{"model", options.model}};
  body[options.endpoint == OpenAiEndpoint::kChat ? "messages" : "prompt"] = kPromptMark;
  body[options.completion_limit ? "max_completion_tokens" : "max_tokens"] = kLimitMark;
  body["stream"] = options.stream;
  if (options.stream && options.ask_usage) {
    body["stream_options"] = {{"include_usage", true}};
  }
  if (options.ignore_eos) {
    body["ignore_eos"] = true;
  }
  if (options.temperature) {
    body["temperature"] = *options.temperature;
  }
  if (!options.extra_body.empty()) {
    body.update(base::parse_json(options.extra_body).value());  // checked by check_extra_body
  }
  return body;
}

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

void append_message(std::string_view role, std::string_view content, std::string& into) {
  into.append(R"({"role":")").append(role).append(R"(","content":")");
  append_text(content, into);
  into.append("\"}");
}

}  // namespace

OpenAiBody::OpenAiBody(const OpenAiOptions& options)
    : chat_(options.endpoint == OpenAiEndpoint::kChat) {
  // Keys that the extra body replaced have lost their mark, and are fixed.
  const Json body = common_body(options);
  fixed_.emplace_back("{");
  const char* before = "";
  for (const auto& [key, value] : body.items()) {
    fixed_.back() += before + base::dump_json(key) + ":";
    before = ",";
    if (value == kPromptMark || value == kLimitMark) {
      is_prompt_.push_back(value == kPromptMark);
      fixed_.emplace_back();
    } else {
      fixed_.back() += base::dump_json(value);
    }
  }
  fixed_.back() += "}";
}

void OpenAiBody::write(std::span<const Turn> history, std::string_view prompt,
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

void OpenAiBody::write_prompt(std::span<const Turn> history, std::string_view prompt,
                              std::string& into) const {
  if (chat_) {
    into += '[';
    for (const Turn& turn : history) {
      append_message("user", turn.user, into);
      into += ',';
      append_message("assistant", turn.assistant, into);
      into += ',';
    }
    append_message("user", prompt, into);
    into += ']';
    return;
  }
  into += '"';
  for (const Turn& turn : history) {
    append_text(turn.user, into);
    into += "\\n";
    append_text(turn.assistant, into);
    into += "\\n";
  }
  append_text(prompt, into);
  into += '"';
}

std::string openai_body(const OpenAiOptions& options, std::string_view prompt,
                        std::int64_t output_tokens) {
  std::string body;
  OpenAiBody(options).write({}, prompt, output_tokens, body);
  return body;
}

}  // namespace steelyard::platform
