#include "command/definitions.h"

#include <fmt/format.h>

#include <string>

#include "base/text.h"

namespace steelyard::command {

base::Result<std::vector<const measure::ToolDefinition*>> tools_of(std::string_view given) {
  std::vector<const measure::ToolDefinition*> tools;
  if (given.empty()) {
    return tools;
  }
  std::string names;
  for (const measure::ToolDefinition& tool : measure::tool_definitions()) {
    names += fmt::format("{}, ", tool.name);
    if (given == "all") {
      tools.push_back(&tool);
    }
  }
  if (given == "all") {
    return tools;
  }
  for (const std::string_view part : base::split(given, ',')) {
    const std::string_view name = base::trim(part);
    const measure::ToolDefinition* tool = measure::find_tool(name);
    if (tool == nullptr) {
      return base::bad_input("--definitions", fmt::format("no tool '{}' is known", name),
                             names + "or all");
    }
    tools.push_back(tool);
  }
  return tools;
}

}  // namespace steelyard::command
