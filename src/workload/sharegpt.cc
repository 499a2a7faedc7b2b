#include "workload/sharegpt.h"

#include <simdjson.h>

namespace steelyard::workload {
namespace {

using simdjson::dom::element;

// The message's text; empty where it has none, or where it is not from the side whose turn it is.
// Files that do not say who speaks alternate.
std::string_view text_of(const element& message, bool user) {
  std::string_view from;
  std::string_view text;
  if (message["value"].get(text) != simdjson::SUCCESS) {
    return {};
  }
  if (message["from"].get(from) == simdjson::SUCCESS) {
    const bool is_user = from == "human" || from == "user";
    return is_user != user ? std::string_view{} : text;
  }
  return text;
}

bool is_system(const element& message) {
  std::string_view from;
  return message["from"].get(from) == simdjson::SUCCESS && from == "system";
}

Conversation conversation_of(const simdjson::dom::array& messages) {
  Conversation turns;
  std::string_view question;
  for (const element message : messages) {
    if (is_system(message)) {
      continue;
    }
    const std::string_view text = text_of(message, question.empty());
    if (text.empty()) {
      break;
    }
    if (question.empty()) {
      question = text;
    } else {
      turns.push_back({std::string(question), std::string(text)});
      question = {};
    }
  }
  return turns;
}

}  // namespace

base::Result<std::vector<Conversation>> parse_sharegpt(const std::string& name,
                                                       std::string_view content) {
  constexpr std::string_view kRight =
      R"([{"conversations": [{"from": "human", "value": "..."}, {"from": "gpt", "value": "..."}]}])";
  simdjson::dom::parser parser;
  simdjson::dom::array entries;
  const auto failed = parser.parse(simdjson::padded_string(content)).get(entries);
  if (failed != simdjson::SUCCESS) {
    return base::bad_input(name, std::string("not a JSON list: ") + simdjson::error_message(failed),
                           std::string(kRight));
  }
  std::vector<Conversation> conversations;
  for (const element entry : entries) {
    simdjson::dom::array turns;
    if (entry["conversations"].get(turns) != simdjson::SUCCESS) {
      continue;
    }
    Conversation conversation = conversation_of(turns);
    if (!conversation.empty()) {
      conversations.push_back(std::move(conversation));
    }
  }
  if (conversations.empty()) {
    return base::bad_input(name, "no conversation of two turns in it", std::string(kRight));
  }
  return conversations;
}

}  // namespace steelyard::workload
