#include "command/parse_error.h"

#include <CLI/CLI.hpp>
#include <optional>
#include <string_view>

#include "base/text.h"

namespace steelyard::command {
namespace {

using base::Error;
using base::ErrorCode;

// "steelyard runs list"
std::string full_name(const CLI::App& command) {
  const CLI::App* above = command.get_parent();
  return above == nullptr ? command.get_name() : full_name(*above) + " " + command.get_name();
}

// A flag nobody knows, with the nearest one that the command does know.
Error unknown_flag(const CLI::App& command, const std::string& flag) {
  std::vector<std::string> known;
  for (const CLI::Option* option : command.get_options()) {
    for (const std::string& name : option->get_lnames()) {
      known.push_back("--" + name);
    }
  }
  const std::vector<std::string_view> views(known.begin(), known.end());
  const std::string bare = flag.substr(0, flag.find('='));
  const std::string near = base::nearest(bare, views);
  return {ErrorCode::kBadInput, bare, bare.starts_with('-') ? "no such flag" : "not expected here",
          near.empty() ? "see " + full_name(command) + " --help" : near};
}

// The library tells its errors apart by their text alone; none of these quotes a value that is no
// number.
std::optional<Error> known_complaint(const CLI::App& command, std::string_view text) {
  const std::string help = "see " + full_name(command) + " --help";
  constexpr std::string_view kUnread = "Could not convert: ";
  constexpr std::string_view kEquals = " = ";
  if (text.starts_with(kUnread) && text.find(kEquals) != std::string_view::npos) {
    text.remove_prefix(kUnread.size());
    const std::size_t equals = text.find(kEquals);
    const std::string flag(text.substr(0, equals));
    const CLI::Option* option = command.get_option_no_throw(flag);
    const bool whole = option != nullptr && option->get_type_name() != "FLOAT";
    return Error{
        ErrorCode::kBadInput, flag,
        "'" + std::string(text.substr(equals + kEquals.size())) + "' is no number that it takes",
        whole ? "a whole number in its range" : "a number"};
  }
  if (text.ends_with(" missing") && text.find(" required ") != std::string_view::npos) {
    return Error{ErrorCode::kBadInput, std::string(text.substr(0, text.find(':'))),
                 "needs a value, and none is given", help};
  }
  if (const std::size_t most = text.find(": At Most 1 "); most != std::string_view::npos) {
    return Error{ErrorCode::kBadInput, std::string(text.substr(0, most)), "is given more than once",
                 "once, under one of its names"};
  }
  if (text == "A subcommand is required") {
    return Error{ErrorCode::kBadInput, full_name(command), "no command was given",
                 base::join(command_names(command), ", ")};
  }
  if (constexpr std::string_view kNeeded = " is required"; text.ends_with(kNeeded)) {
    text.remove_suffix(kNeeded.size());
    return Error{ErrorCode::kBadInput, std::string(text), "is missing", help};
  }
  return std::nullopt;
}

}  // namespace

std::vector<std::string> command_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* command : app.get_subcommands({})) {
    names.push_back(command->get_name());
  }
  return names;
}

Error explain(const CLI::App& app, const CLI::ParseError& error) {
  const CLI::App* innermost = &app;  // `runs list` and not `runs`
  while (!innermost->get_subcommands().empty()) {
    innermost = innermost->get_subcommands().front();
  }
  if (const std::vector<std::string> extra = app.remaining(true); !extra.empty()) {
    return unknown_flag(*innermost, extra.front());
  }
  return known_complaint(*innermost, error.what())
      .value_or(Error{ErrorCode::kBadInput, "", error.what(),
                      "see " + full_name(*innermost) + " --help"});
}

}  // namespace steelyard::command
