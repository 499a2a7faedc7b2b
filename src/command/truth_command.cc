#include "command/truth_command.h"

#include <fmt/format.h>
#include <sched.h>

#include <csignal>
#include <cstdio>

#include "command/command.h"
#include "emulate/fault_scripts.h"
#include "emulate/truth_server.h"
#include "quantity/duration.h"

namespace steelyard::command {
namespace {

constexpr std::int64_t kMostOutputLen = emulate::kMostOutputTokens;

const emulate::TruthServer* stopped_by_signals = nullptr;

base::Status read_duration(const std::string& flag, const std::string& given, base::Nanos& into) {
  if (given.empty()) {
    return {};
  }
  return quantity::parse_duration(flag, given).map([&](base::Nanos value) { into = value; });
}

base::Status choose_script(const std::string& name, emulate::TruthOptions& options) {
  if (name.empty()) {
    return {};
  }
  options.script = emulate::find_fault_script(name);
  if (options.script == nullptr) {
    return base::bad_input("--script", "'" + name + "' is none", "'--script list' prints them");
  }
  return {};
}

base::Result<emulate::TruthOptions> options_of(const TruthFlags& flags) {
  emulate::TruthOptions options;
  options.host = flags.host;
  options.port = flags.port;
  options.instant = flags.instant;
  if (!flags.model.empty()) {
    options.model = flags.model;
  }
  if (flags.instant && (!flags.ttft.empty() || !flags.itl.empty() || !flags.script.empty())) {
    return base::bad_input("--instant", "whole answers at once have no times and no script",
                           "without --ttft, --itl and --script");
  }
  options.output_tokens = flags.output_len.value_or(options.output_tokens);
  if (options.output_tokens < 1 || options.output_tokens > kMostOutputLen) {
    return base::bad_input("--output-len", fmt::format("{} is no length", options.output_tokens),
                           fmt::format("1 to {}", kMostOutputLen));
  }
  return read_duration("--ttft", flags.ttft, options.ttft)
      .and_then([&] { return read_duration("--itl", flags.itl, options.itl); })
      .and_then([&] { return choose_script(flags.script, options); })
      .map([&] { return options; });
}

base::Status pin_to(std::optional<int> cpu) {
  if (!cpu) {
    return {};
  }
  cpu_set_t set;
  CPU_ZERO(&set);
  if (*cpu >= 0 && *cpu < CPU_SETSIZE) {
    CPU_SET(static_cast<std::size_t>(*cpu), &set);
  }
  if (::sched_setaffinity(0, sizeof set, &set) != 0) {
    return base::bad_input("--cpu", fmt::format("{} is no CPU of this machine", *cpu),
                           "a number that `taskset -p $$` allows, from 0");
  }
  return {};
}

int list_scripts() {
  for (const emulate::FaultScript& script : emulate::fault_scripts()) {
    print_out(fmt::format("{:<28} {}\n", script.name, script.what));
  }
  return 0;
}

}  // namespace

void add_truth_flags(CLI::App& command, TruthFlags& flags) {
  command.add_flag("--instant", flags.instant, "truth: whole answers at once, unpaced");
  command.add_option("--output-len", flags.output_len,
                     "truth: tokens where the request sets no limit (default: 100)");
  command.add_option("--cpu", flags.cpu, "truth: run on this CPU alone");
  command.add_option("--script", flags.script,
                     "truth: answer everything with this fault; 'list' prints them");
}

base::Result<int> serve_truth(const TruthFlags& flags) {
  if (flags.script == "list") {
    return list_scripts();
  }
  const auto options = options_of(flags);
  if (!options) {
    return tl::unexpected(options.error());
  }
  if (const auto pinned = pin_to(flags.cpu); !pinned) {
    return tl::unexpected(pinned.error());
  }
  const auto server = emulate::TruthServer::start(*options);
  if (!server) {
    return tl::unexpected(server.error());
  }
  stopped_by_signals = server->get();
  for (const int number : {SIGINT, SIGTERM}) {
    std::signal(number, [](int) { stopped_by_signals->stop(); });
  }
  print_out(fmt::format("listening {}\n", (*server)->url()));
  std::fflush(stdout);
  (*server)->run();
  for (const int number : {SIGINT, SIGTERM}) {
    std::signal(number, SIG_IGN);  // the server is about to be no more
  }
  return 0;
}

}  // namespace steelyard::command
