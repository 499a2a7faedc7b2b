#include "workload/custom.h"

#include <fmt/format.h>
#include <simdjson.h>

#include "base/text.h"
#include "workload/limits.h"

namespace steelyard::workload {
namespace {

constexpr std::string_view kRight = R"({"prompt": "...", "output_tokens": 128})";

base::Result<CustomPrompt> parse_line(const std::string& where, simdjson::dom::parser& parser,
                                      std::string_view line) {
  simdjson::dom::object object;
  std::string_view prompt;
  if (parser.parse(simdjson::padded_string(line)).get(object) != simdjson::SUCCESS ||
      object["prompt"].get(prompt) != simdjson::SUCCESS || prompt.empty()) {
    return base::bad_input(where, "no JSON object with a prompt", std::string(kRight));
  }
  CustomPrompt custom{std::string(prompt), std::nullopt};
  for (const std::string_view key : {"output_tokens", "max_tokens"}) {
    simdjson::dom::element value;
    if (custom.output_tokens || object[key].get(value) != simdjson::SUCCESS || value.is_null()) {
      continue;
    }
    std::int64_t tokens = 0;
    if (value.get(tokens) != simdjson::SUCCESS || tokens < 1 || tokens > kMostTokens) {
      return base::bad_input(where, fmt::format("{} is not a number of tokens", key),
                             fmt::format("a whole number from 1 to {}", kMostTokens));
    }
    custom.output_tokens = tokens;
  }
  return custom;
}

}  // namespace

base::Result<std::vector<CustomPrompt>> parse_custom(const std::string& name,
                                                     std::string_view content) {
  std::vector<CustomPrompt> prompts;
  simdjson::dom::parser parser;
  std::size_t number = 0;
  for (const std::string_view raw : base::split(content, '\n')) {
    ++number;
    const std::string_view line = base::trim(raw);
    if (line.empty()) {
      continue;
    }
    auto prompt = parse_line(fmt::format("{}:{}", name, number), parser, line);
    if (!prompt) {
      return tl::unexpected(prompt.error());
    }
    prompts.push_back(std::move(*prompt));
  }
  if (prompts.empty()) {
    return base::bad_input(name, "no prompt in it", fmt::format("lines {}", kRight));
  }
  return prompts;
}

}  // namespace steelyard::workload
