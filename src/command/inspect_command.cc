#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>

#include "base/file.h"
#include "base/text.h"
#include "command/bench_start.h"
#include "command/command.h"
#include "command/definitions.h"
#include "command/endpoint_flags.h"
#include "command/inspect.h"
#include "command/inspect_text.h"
#include "command/probe.h"
#include "platform/platforms.h"
#include "platform/recognise.h"

namespace steelyard::command {
namespace {

struct InspectFlags {
  std::string path;
  std::string probe;  // a URL, instead of a file
  std::string platform;
  EndpointFlags endpoint{};
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

base::Result<int> inspect_file(const InspectFlags& flags,
                               const std::vector<const measure::ToolDefinition*>& tools) {
  const auto dialect = dialect_told(flags.platform);
  if (!dialect) {
    return tl::unexpected(dialect.error());
  }
  const bool piped = flags.path == "-";
  const std::string name = piped ? "stdin" : flags.path;
  return (piped ? read_stdin() : base::read_file(flags.path))
      .and_then([&](const std::string& bytes) { return inspect_stream(name, bytes, *dialect); })
      .map([&](const StreamFacts& facts) { return show(flags, name, facts, tools); });
}

int show(const InspectFlags& flags, const ProbeFacts& facts,
         const std::vector<const measure::ToolDefinition*>& tools) {
  if (flags.json) {
    print_out(base::dump_json(probe_json(facts), 2) + "\n");
  } else {
    print_out(describe(facts) + describe_by(tools, facts.answer) +
              (flags.events ? describe_events(facts.answer) : ""));
  }
  return facts.answer.failure.empty() ? 0 : 1;
}

// A model is asked for where none is named; servers without a list of them need none.
std::string model_for(const load::Target& target, const platform::RequestOptions& options) {
  const std::atomic<bool> stopped(false);
  return options.model.empty() ? first_model(target, stopped).value_or("") : options.model;
}

base::Result<int> probe_endpoint(const InspectFlags& flags,
                                 const std::vector<const measure::ToolDefinition*>& tools) {
  EndpointFlags endpoint = flags.endpoint;
  endpoint.url_flag = "--probe";
  endpoint.base_url = flags.probe;
  endpoint.platform = flags.platform.empty() ? endpoint.platform : flags.platform;
  const auto target = target_of(endpoint);
  if (!target) {
    return tl::unexpected(target.error());
  }
  return options_of(endpoint)
      .and_then([&](platform::RequestOptions options) {
        options.model = model_for(*target, options);
        return probe(*target, options);
      })
      .map([&](const ProbeFacts& facts) { return show(flags, facts, tools); });
}

base::Result<int> inspect(const InspectFlags& flags) {
  const auto tools = tools_of(flags.definitions);
  if (!tools) {
    return tl::unexpected(tools.error());
  }
  if (flags.path.empty() == flags.probe.empty()) {
    return base::bad_input("", flags.path.empty() ? "nothing to inspect" : "a file and --probe",
                           "FILE, or --probe URL");
  }
  return flags.probe.empty() ? inspect_file(flags, *tools) : probe_endpoint(flags, *tools);
}

}  // namespace

void add_inspect(CLI::App& app, Run& run) {
  const auto flags = std::make_shared<InspectFlags>();
  CLI::App* command = app.add_subcommand(
      "inspect", "Decode a recorded answer, or probe a live endpoint with one request");
  command->add_option("FILE", flags->path,
                      "the answer, as curl -N or curl -i saved it; - for standard input");
  command->add_option("--probe", flags->probe,
                      "instead of a file: the URL of an endpoint, as bench's --base-url");
  command->add_option(
      "--platform", flags->platform,
      "whose protocol it is in (default: recognised; a probe's: openai): " + dialect_names());
  command->add_option("--definitions", flags->definitions,
                      "what other tools make of it: vllm,aiperf,... or all");
  command->add_flag("--events", flags->events, "a row for each event");
  command->add_flag("--json", flags->json, "all of it as JSON");
  add_server_flags(*command, flags->endpoint);
  command->callback([&run, flags] { run = [flags] { return inspect(*flags); }; });
}

}  // namespace steelyard::command
