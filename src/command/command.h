// What main.cc knows of a command: each adds its flags to the command line and, when it is the one
// that was asked for, says what to run.
#pragma once

#include <functional>
#include <string_view>

#include "base/error.h"

namespace CLI {
class App;
}

namespace steelyard::command {

// Gives the exit code: 0 done, 1 the verdict is negative. An error becomes its line and its code.
using Run = std::function<base::Result<int>()>;

// To stdout; that all of it arrived is checked once, at the end, in main.cc.
void print_out(std::string_view text);
// To stderr. One that takes nothing is no reason to lose a measurement.
void print_error(std::string_view text);

void add_bench(CLI::App& app, Run& run);
void add_emulate(CLI::App& app, Run& run);
void add_evaluate(CLI::App& app, Run& run);
void add_inspect(CLI::App& app, Run& run);
void add_runs(CLI::App& app, Run& run);

}  // namespace steelyard::command
