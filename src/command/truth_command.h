// `emulate truth`: the flags that only the truth server has, and running it.
#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>

#include "base/error.h"

namespace steelyard::command {

struct TruthFlags {
  // Those that every emulator has.
  std::string host;
  std::uint16_t port = 0;
  std::string model;
  std::string ttft;
  std::string itl;
  // Its own.
  bool instant = false;
  std::optional<std::int64_t> output_len;
  std::optional<int> cpu;
  std::string script;

  [[nodiscard]] bool any_of_its_own() const {
    return instant || output_len || cpu || !script.empty();
  }
};

void add_truth_flags(CLI::App& command, TruthFlags& flags);
[[nodiscard]] base::Result<int> serve_truth(const TruthFlags& flags);

}  // namespace steelyard::command
