// The flags of bench that ask for more than one load: sweeps, and the search for the largest that
// meets the SLA; and what bounds them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "command/endpoint_flags.h"
#include "study/load_study.h"

namespace steelyard::command {

struct SearchFlags {
  std::string sweep_concurrency;
  std::string sweep_rate;
  std::string sweep_input_len;
  std::string find_max;  // concurrency or rate
  std::optional<double> from;
  std::optional<double> to;
  std::string resolution = "5%";
  std::string step_least = "5s";
  std::string step_most = "60s";
  std::string time;  // default: 10min for a search, none for a sweep
  std::string max_spend;
  std::string price;
  std::string price_input;
  std::string price_output;
  std::int64_t gpus = 1;
  std::string curve;            // an SVG file; empty: none
  std::string language = "en";  // of it

  // Whether any of it was asked for.
  [[nodiscard]] bool asked() const {
    return !find_max.empty() || !sweep_concurrency.empty() || !sweep_rate.empty() ||
           !sweep_input_len.empty();
  }
};

void add_flags(CLI::App& command, SearchFlags& flags);

// A bound or a price where there is nothing to bound is bad input.
[[nodiscard]] base::Status check_alone(const SearchFlags& flags);

// What is to be done: a list of loads, or a range to search.
struct LoadsAsked {
  std::vector<study::Load> sweep;  // empty: a search
  study::Load::Kind kind = study::Load::Kind::kConcurrency;
  study::BracketRange range;
};
// `flags` and `endpoint` may contradict each other; that is bad input.
[[nodiscard]] base::Result<LoadsAsked> loads_of(const SearchFlags& flags,
                                                const EndpointFlags& endpoint);
[[nodiscard]] base::Result<study::StepRules> rules_of(const SearchFlags& flags);
[[nodiscard]] base::Result<study::Budget> budget_of(const SearchFlags& flags);

}  // namespace steelyard::command
