#include <CLI/CLI.hpp>
#include <memory>

#include "base/file.h"
#include "command/command.h"
#include "command/inspect.h"

namespace steelyard::command {
namespace {

base::Result<int> inspect(const std::string& path) {
  return base::read_file(path)
      .and_then([&](const std::string& body) { return inspect_stream(path, body); })
      .map([](const StreamFacts& facts) {
        print_out(describe(facts));
        return verdict(facts) == "completed" ? 0 : 1;
      });
}

}  // namespace

void add_inspect(CLI::App& app, Run& run) {
  const auto path = std::make_shared<std::string>();
  CLI::App* command = app.add_subcommand("inspect", "Decode a recorded OpenAI-compatible stream");
  command->add_option("FILE", *path, "the body of the stream, as curl -N saved it")->required();
  command->callback([&run, path] { run = [path] { return inspect(*path); }; });
}

}  // namespace steelyard::command
