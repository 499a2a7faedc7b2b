// What `steelyard inspect` found, for a person and as JSON.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "base/json.h"
#include "command/inspect.h"
#include "measure/tool_definitions.h"

namespace steelyard::command {

// "name               value\n"
[[nodiscard]] std::string describe_line(std::string_view name, std::string_view value);
// Any text in quotes, on one line, as much as fits there.
[[nodiscard]] std::string in_quotes(std::string_view text);
// Lines for a person.
[[nodiscard]] std::string describe(const StreamFacts& facts);
// A row an event.
[[nodiscard]] std::string describe_events(const StreamFacts& facts);
// Which event each tool's TTFT and E2E end at, and what it makes of the gaps.
[[nodiscard]] std::string describe_by(std::span<const measure::ToolDefinition* const> tools,
                                      const StreamFacts& facts);

// docs/schema/inspect.schema.json. `name`: of the file.
[[nodiscard]] base::Json inspect_json(const std::string& name, const StreamFacts& facts);

}  // namespace steelyard::command
