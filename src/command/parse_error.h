// What is wrong with a command line, in our own words: which flag, what about it, what would be
// right.
#pragma once

#include <string>
#include <vector>

#include "base/error.h"

namespace CLI {
class App;
class ParseError;
}  // namespace CLI

namespace steelyard::command {

[[nodiscard]] std::vector<std::string> command_names(const CLI::App& app);

// `error` is what parsing `app`, the whole command line, has thrown.
[[nodiscard]] base::Error explain(const CLI::App& app, const CLI::ParseError& error);

}  // namespace steelyard::command
