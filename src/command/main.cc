// The command line. An error becomes one line on stderr and an exit code; nothing else exits.
#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <cstdio>
#include <vector>

#include "base/file.h"
#include "base/text.h"
#include "command/inspect.h"

namespace {

int report(const steelyard::base::Error& error) {
  fmt::print(stderr, "error: {}\n", steelyard::base::to_line(error));
  return steelyard::base::exit_code(error.code);
}

int inspect(const std::string& path) {
  const auto facts = steelyard::base::read_file(path).and_then(
      [&](const std::string& body) { return steelyard::command::inspect_stream(path, body); });
  if (!facts) {
    return report(facts.error());
  }
  fmt::print("{}", steelyard::command::describe(*facts));
  return steelyard::command::verdict(*facts) == "completed" ? 0 : 1;
}

std::vector<std::string> command_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* command : app.get_subcommands({})) {
    names.push_back(command->get_name());
  }
  return names;
}

int run(int argc, char** argv) {
  CLI::App app("Steelyard: what does a million output tokens cost within the latency SLA?");
  app.set_version_flag("--version", "steelyard " STEELYARD_VERSION);
  app.require_subcommand(1);
  app.footer(
      "Exit codes: 0 done, 1 the verdict is negative, 2 bad input, 3 the environment failed.");

  std::string path;
  CLI::App* inspect_command =
      app.add_subcommand("inspect", "Decode a recorded OpenAI-compatible stream");
  inspect_command->add_option("FILE", path, "the body of the stream, as curl -N saved it")
      ->required();

  const std::vector<std::string> known = command_names(app);
  if (argc > 1 && argv[1][0] != '-' && std::ranges::find(known, argv[1]) == known.end()) {
    return report({steelyard::base::ErrorCode::kBadInput, argv[1], "no such command",
                   steelyard::base::join(known, ", ")});
  }
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) {
      return app.exit(error);  // --help and --version
    }
    fmt::print(stderr, "error: {} (steelyard --help lists what is known)\n", error.what());
    return 2;
  }
  return inspect(path);
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (const std::exception& error) {
    fmt::print(stderr, "error: {}\n", error.what());
    return 3;
  }
}
