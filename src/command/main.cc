// The command line. An error becomes one line on stderr and an exit code; nothing else exits.
#include <poll.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <vector>

#include "base/text.h"
#include "base/version.h"
#include "command/command.h"
#include "command/parse_error.h"

namespace {

using steelyard::base::Error;
using steelyard::base::ErrorCode;
using steelyard::command::command_names;
using steelyard::command::explain;

int report(const Error& error) {
  steelyard::command::print_error("error: " + steelyard::base::to_line(error) + "\n");
  return steelyard::base::exit_code(error.code);
}

int run(int argc, char** argv) {
  CLI::App app("Steelyard: what does a million output tokens cost within the latency SLA?",
               "steelyard");
  app.set_version_flag("--version", "steelyard " + std::string(steelyard::base::version()));
  app.require_subcommand(0, 1);
  app.footer(
      "Exit codes: 0 done, 1 the verdict is negative, 2 bad input, 3 the environment failed.");
  steelyard::command::Run chosen;
  steelyard::command::add_bench(app, chosen);
  steelyard::command::add_emulate(app, chosen);
  steelyard::command::add_evaluate(app, chosen);
  steelyard::command::add_inspect(app, chosen);
  steelyard::command::add_runs(app, chosen);

  const std::vector<std::string> known = command_names(app);
  if (argc > 1 && argv[1][0] != '-' && std::ranges::find(known, argv[1]) == known.end()) {
    return report(
        {ErrorCode::kBadInput, argv[1], "no such command", steelyard::base::join(known, ", ")});
  }
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return error.get_exit_code() == 0 ? app.exit(error)  // --help and --version
                                      : report(explain(app, error));
  }
  if (!chosen) {
    return report(
        {ErrorCode::kBadInput, "", "no command was given", steelyard::base::join(known, ", ")});
  }
  const auto code = chosen();
  return code ? *code : report(code.error());
}

// Whoever read stdout has gone (`| head -1`): it had what it wanted, and there is no one to tell.
bool reader_left() {
  pollfd output{STDOUT_FILENO, POLLOUT, 0};
  return ::poll(&output, 1, 0) > 0 && (output.revents & POLLERR) != 0;
}

// What was printed has arrived, or the command has failed: half a result on a full disk is none.
int after_printing(int code) {
  errno = 0;
  if ((std::fflush(stdout) == 0 && std::ferror(stdout) == 0) || reader_left()) {
    return code;
  }
  const std::string why = errno == 0 ? "" : std::string(": ") + std::strerror(errno);
  return report({ErrorCode::kEnvironment, "stdout", "cannot write" + why,
                 "a disk with room, or another place for the output"});
}

}  // namespace

int main(int argc, char** argv) {
  // A pipe that closes must not end a measurement halfway; what is written is looked at afterwards.
  std::signal(SIGPIPE, SIG_IGN);
  int code = 3;
  try {
    code = run(argc, argv);
  } catch (const std::exception& error) {
    if (reader_left()) {
      return 0;
    }
    steelyard::command::print_error(std::string("error: ") + error.what() + "\n");
    return code;
  }
  return after_printing(code);
}
