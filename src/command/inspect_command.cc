#include <CLI/CLI.hpp>
#include <memory>

#include "base/file.h"
#include "command/command.h"
#include "command/definitions.h"
#include "command/inspect.h"

namespace steelyard::command {
namespace {

base::Result<int> inspect(const std::string& path, const std::string& definitions) {
  const auto tools = tools_of(definitions);
  if (!tools) {
    return tl::unexpected(tools.error());
  }
  return base::read_file(path)
      .and_then([&](const std::string& body) { return inspect_stream(path, body); })
      .map([&](const StreamFacts& facts) {
        print_out(describe(facts) + describe_by(*tools, facts));
        return verdict(facts) == "completed" ? 0 : 1;
      });
}

}  // namespace

void add_inspect(CLI::App& app, Run& run) {
  const auto path = std::make_shared<std::string>();
  CLI::App* command = app.add_subcommand("inspect", "Decode a recorded OpenAI-compatible stream");
  command->add_option("FILE", *path, "the body of the stream, as curl -N saved it")->required();
  const auto definitions = std::make_shared<std::string>();
  command->add_option("--definitions", *definitions,
                      "what other tools make of it: vllm,aiperf,... or all");
  command->callback([&run, path, definitions] {
    run = [path, definitions] { return inspect(*path, *definitions); };
  });
}

}  // namespace steelyard::command
