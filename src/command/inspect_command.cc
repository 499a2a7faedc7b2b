#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>

#include "base/file.h"
#include "base/text.h"
#include "command/command.h"
#include "command/definitions.h"
#include "command/inspect.h"
#include "command/inspect_text.h"
#include "platform/platforms.h"
#include "platform/recognise.h"

namespace steelyard::command {
namespace {

struct InspectFlags {
  std::string path;
  std::string platform;
  std::string definitions;
  bool events = false;
  bool json = false;
};

// All of stdin, for `inspect -`.
base::Result<std::string> read_stdin() {
  std::string bytes;
  std::string piece(64U << 10U, '\0');
  while (const std::size_t n = std::fread(piece.data(), 1, piece.size(), stdin)) {
    bytes.append(piece, 0, n);
  }
  return std::ferror(stdin) != 0
             ? base::Result<std::string>(base::environment_error("stdin", "cannot be read"))
             : base::Result<std::string>(std::move(bytes));
}

std::string dialect_names() {
  std::string names = platform::platform_names();
  for (const platform::Dialect* dialect : platform::dialects()) {
    if (("  " + names + ",").find(fmt::format(" {},", dialect->name)) == std::string::npos) {
      names += fmt::format(", {}", dialect->name);
    }
  }
  return names;
}

// Of a platform, as bench has it, or by its own name. Null for "": it is recognised.
base::Result<const platform::Dialect*> dialect_told(const std::string& name) {
  if (name.empty()) {
    return nullptr;
  }
  for (const platform::Platform& platform : platform::platforms()) {
    if (platform.name == name) {
      return platform::dialect_of(platform, "--platform", "");
    }
  }
  for (const platform::Dialect* dialect : platform::dialects()) {
    if (dialect->name == name) {
      return dialect;
    }
  }
  return base::bad_input("--platform", fmt::format("'{}' is not known", base::valid_utf8(name)),
                         dialect_names());
}

int show(const InspectFlags& flags, const std::string& name, const StreamFacts& facts,
         const std::vector<const measure::ToolDefinition*>& tools) {
  if (flags.json) {
    print_out(base::dump_json(inspect_json(name, facts), 2) + "\n");
  } else {
    print_out(describe(facts) + describe_by(tools, facts) +
              (flags.events ? describe_events(facts) : ""));
  }
  return facts.failure.empty() ? 0 : 1;
}

base::Result<int> inspect(const InspectFlags& flags) {
  const auto tools = tools_of(flags.definitions);
  if (!tools) {
    return tl::unexpected(tools.error());
  }
  const auto dialect = dialect_told(flags.platform);
  if (!dialect) {
    return tl::unexpected(dialect.error());
  }
  const bool piped = flags.path == "-";
  const std::string name = piped ? "stdin" : flags.path;
  return (piped ? read_stdin() : base::read_file(flags.path))
      .and_then([&](const std::string& bytes) { return inspect_stream(name, bytes, *dialect); })
      .map([&](const StreamFacts& facts) { return show(flags, name, facts, *tools); });
}

}  // namespace

void add_inspect(CLI::App& app, Run& run) {
  const auto flags = std::make_shared<InspectFlags>();
  CLI::App* command = app.add_subcommand("inspect", "Decode a recorded answer, streamed or whole");
  command
      ->add_option("FILE", flags->path,
                   "the answer, as curl -N or curl -i saved it; - for standard input")
      ->required();
  command->add_option("--platform", flags->platform,
                      "whose protocol it is in (default: recognised): " + dialect_names());
  command->add_option("--definitions", flags->definitions,
                      "what other tools make of it: vllm,aiperf,... or all");
  command->add_flag("--events", flags->events, "a row for each event");
  command->add_flag("--json", flags->json, "all of it as JSON");
  command->callback([&run, flags] { run = [flags] { return inspect(*flags); }; });
}

}  // namespace steelyard::command
