#include "command/parse_error.h"

#include <CLI/CLI.hpp>

namespace steelyard::command {
namespace {

// The line that a command line of `steelyard` is refused with.
std::string refused(const std::vector<std::string>& words) {
  CLI::App app("", "steelyard");
  CLI::App* bench = app.add_subcommand("bench");
  std::int64_t count = 0;
  double share = 0;
  std::string text;
  std::uint16_t port = 0;
  bench->add_option("--num-prompts,--number", count);
  bench->add_option("--temperature", share);
  bench->add_option("--base-url", text);
  bench->add_option("--port", port);
  CLI::App* runs = app.add_subcommand("runs");
  runs->require_subcommand(1);
  CLI::App* show = runs->add_subcommand("show");
  show->add_option("RUN", text)->required();
  runs->add_subcommand("list");
  try {
    app.parse(std::vector<std::string>(words.rbegin(), words.rend()));
  } catch (const CLI::ParseError& error) {
    return base::to_line(explain(app, error));
  }
  return "taken";
}

TEST(ParseError, says_which_flag_what_about_it_and_what_would_be_right) {
  EXPECT_EQ(refused({"bench", "--num-prompts", "7"}), "taken");
  EXPECT_EQ(refused({"bench", "--num-prompts", "1e3"}),
            "--num-prompts: '1e3' is no number that it takes (a whole number in its range)");
  EXPECT_EQ(refused({"bench", "--port", "99999"}),
            "--port: '99999' is no number that it takes (a whole number in its range)");
  EXPECT_EQ(refused({"bench", "--temperature", "hot"}),
            "--temperature: 'hot' is no number that it takes (a number)");
  EXPECT_EQ(refused({"bench", "--base-url"}),
            "--base-url: needs a value, and none is given (see steelyard bench --help)");
  EXPECT_EQ(refused({"bench", "--num-prompts", "1", "--number", "2"}),
            "--num-prompts: is given more than once (once, under one of its names)");
  EXPECT_EQ(refused({"bench", "--base-ulr=http://h"}), "--base-ulr: no such flag (--base-url)");
  EXPECT_EQ(refused({"bench", "x"}), "x: not expected here (see steelyard bench --help)");
  EXPECT_EQ(refused({"runs"}), "steelyard runs: no command was given (show, list)");
  EXPECT_EQ(refused({"runs", "show"}), "RUN: is missing (see steelyard runs show --help)");
}

}  // namespace
}  // namespace steelyard::command
