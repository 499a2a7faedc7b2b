#include "workload/sharegpt.h"

#include <simdjson.h>

namespace steelyard::workload {
namespace {

using simdjson::dom::element;

std::string_view turn(const simdjson::dom::array& turns, std::size_t index) {
  std::string_view text;
  return turns.at(index)["value"].get(text) == simdjson::SUCCESS ? text : std::string_view{};
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
    const std::string_view prompt = turn(turns, 0);
    const std::string_view answer = turn(turns, 1);
    if (!prompt.empty() && !answer.empty()) {
      conversations.push_back({std::string(prompt), std::string(answer)});
    }
  }
  if (conversations.empty()) {
    return base::bad_input(name, "no conversation of two turns in it", std::string(kRight));
  }
  return conversations;
}

}  // namespace steelyard::workload
