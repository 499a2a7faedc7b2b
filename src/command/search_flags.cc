#include "command/search_flags.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <charconv>
#include <cmath>

#include "base/text.h"
#include "quantity/duration.h"
#include "quantity/rate.h"
#include "workload/limits.h"

namespace steelyard::command {
namespace {

using study::Load;

constexpr double kMostConcurrency = 1'024;  // of a search that names no end
constexpr double kMostRate = 10'000;
constexpr double kLeastRate = 0.001;
constexpr base::Nanos kSearchTime = 600 * base::kSecond;

base::Result<std::vector<double>> whole_numbers(const std::string& flag, const std::string& text,
                                                std::int64_t most) {
  std::vector<double> numbers;
  for (const std::string_view part : base::split(text, ',')) {
    const std::string_view digits = base::trim(part);
    std::int64_t number = 0;
    const auto [end, failed] =
        std::from_chars(digits.data(), digits.data() + digits.size(), number);
    if (failed != std::errc{} || end != digits.data() + digits.size() || number < 1 ||
        number > most) {
      return base::bad_input(
          flag, fmt::format("'{}' is no whole number from 1 to {}", base::valid_utf8(digits), most),
          "for example 1,8,64");
    }
    numbers.push_back(static_cast<double>(number));
  }
  return numbers;
}

base::Result<std::vector<double>> rates(const std::string& text) {
  std::vector<double> all;
  for (const std::string_view part : base::split(text, ',')) {
    const auto rate = quantity::parse_rate("--sweep-request-rate", base::trim(part));
    if (!rate) {
      return tl::unexpected(rate.error());
    }
    all.push_back(*rate);
  }
  return all;
}

base::Status contradiction(const SearchFlags& flags, const EndpointFlags& endpoint) {
  const int ways = (flags.find_max.empty() ? 0 : 1) + (flags.sweep_concurrency.empty() ? 0 : 1) +
                   (flags.sweep_rate.empty() ? 0 : 1);
  if (ways > 1) {
    return base::bad_input("--sweep-max-concurrency, --sweep-request-rate, --find-max",
                           "more than one of them", "one at a time");
  }
  if (!endpoint.duration.empty()) {
    return base::bad_input("--duration", "a step ends when its verdict is known",
                           "--step-least, --step-most");
  }
  if (!endpoint.workload.stages.empty() || !endpoint.workload.ramp_strategy.empty()) {
    return base::bad_input("--stages, --ramp-up-strategy", "a step has one load from its beginning",
                           "a sweep without a schedule");
  }
  const bool rated = endpoint.request_rate != "inf";
  const bool by_rate = !flags.sweep_rate.empty() || flags.find_max == "rate";
  const bool by_slots = !flags.sweep_concurrency.empty() || flags.find_max == "concurrency";
  if (rated && (by_rate || by_slots)) {
    return base::bad_input("--request-rate", "the loads come from the sweep or the search",
                           "leave it out");
  }
  if (endpoint.max_concurrency && by_slots) {
    return base::bad_input("--max-concurrency", "the loads come from the sweep or the search",
                           "leave it out");
  }
  if (ways == 0 && !rated && !endpoint.max_concurrency) {
    return base::bad_input("--sweep-input-len", "no load is given",
                           "--max-concurrency or --request-rate, or a list of either to sweep");
  }
  if (!flags.sweep_input_len.empty() && endpoint.dataset_name != "random") {
    return base::bad_input("--sweep-input-len", endpoint.dataset_name + " has lengths of its own",
                           "--dataset-name random");
  }
  return {};
}

// Every load with every length; the loads of one length follow each other.
std::vector<Load> grid(Load::Kind kind, const std::vector<double>& values,
                       const std::vector<double>& lengths) {
  std::vector<Load> loads;
  if (lengths.empty()) {
    for (const double value : values) {
      loads.push_back({kind, value, {}});
    }
  }
  for (const double length : lengths) {
    for (const double value : values) {
      loads.push_back({kind, value, static_cast<std::int64_t>(length)});
    }
  }
  return loads;
}

base::Result<LoadsAsked> sweep_of(const SearchFlags& flags, const EndpointFlags& endpoint) {
  base::Result<std::vector<double>> lengths = std::vector<double>();
  if (!flags.sweep_input_len.empty()) {
    lengths = whole_numbers("--sweep-input-len", flags.sweep_input_len, workload::kMostTokens);
  }
  if (!lengths) {
    return tl::unexpected(lengths.error());
  }
  const bool rated = endpoint.request_rate != "inf";
  const bool by_rate = !flags.sweep_rate.empty() || (flags.sweep_concurrency.empty() && rated);
  base::Result<std::vector<double>> values = std::vector<double>();
  if (by_rate) {
    values = rates(flags.sweep_rate.empty() ? endpoint.request_rate : flags.sweep_rate);
  } else if (!flags.sweep_concurrency.empty()) {
    values =
        whole_numbers("--sweep-max-concurrency", flags.sweep_concurrency, workload::kMostAtOnce);
  } else {
    values = std::vector<double>{static_cast<double>(*endpoint.max_concurrency)};
  }
  if (!values) {
    return tl::unexpected(values.error());
  }
  const bool unbounded =
      by_rate && std::ranges::any_of(*values, [](double rate) { return std::isinf(rate); });
  if (unbounded && !endpoint.num_prompts) {
    return base::bad_input("--sweep-request-rate",
                           "inf sends all at once, and how many is not said", "--num-prompts");
  }
  LoadsAsked asked;
  asked.sweep = grid(by_rate ? Load::Kind::kRate : Load::Kind::kConcurrency, *values, *lengths);
  return asked;
}

base::Result<LoadsAsked> search_of(const SearchFlags& flags, const EndpointFlags& endpoint) {
  LoadsAsked asked;
  if (flags.find_max != "concurrency" && flags.find_max != "rate") {
    return base::bad_input("--find-max", "'" + base::valid_utf8(flags.find_max) + "' is not known",
                           "concurrency or rate");
  }
  const auto sla = sla_of(endpoint);
  if (!sla) {
    return tl::unexpected(sla.error());
  }
  if (!*sla) {
    return base::bad_input("--find-max", "no SLA to meet is given",
                           "--sla 'ttft<500ms', or --goodput ttft:500");
  }
  if ((*sla)->target >= 1) {
    return base::bad_input("--sla-target",
                           "that all requests meet it is shown by no number of them",
                           "99.9%, for example");
  }
  const auto resolution = quantity::parse_share("--search-resolution", flags.resolution);
  if (!resolution) {
    return tl::unexpected(resolution.error());
  }
  asked.range.resolution = *resolution;
  asked.range.whole = flags.find_max == "concurrency";
  asked.kind = asked.range.whole ? Load::Kind::kConcurrency : Load::Kind::kRate;
  const double least = asked.range.whole ? 1 : kLeastRate;
  const double most =
      asked.range.whole ? static_cast<double>(workload::kMostAtOnce) : workload::kFastestRps;
  asked.range.from = flags.from.value_or(std::min(1.0, flags.to.value_or(1)));
  asked.range.most = flags.to.value_or(
      std::max(asked.range.from, asked.range.whole ? kMostConcurrency : kMostRate));
  asked.range.least = std::min(least, asked.range.from);
  const bool whole = !asked.range.whole || (asked.range.from == std::floor(asked.range.from) &&
                                            asked.range.most == std::floor(asked.range.most));
  if (!(asked.range.from >= least && asked.range.most <= most &&
        asked.range.from <= asked.range.most && whole)) {
    return base::bad_input("--search-from, --search-to",
                           fmt::format("from {:g} to {:g}", asked.range.from, asked.range.most),
                           fmt::format("{}from {:g} to {:g}, the first not above the second",
                                       asked.range.whole ? "whole numbers " : "", least, most));
  }
  return asked;
}

base::Result<base::Nanos> time_of(const std::string& flag, const std::string& text) {
  return quantity::parse_duration(flag, text)
      .and_then([&](base::Nanos time) -> base::Result<base::Nanos> {
        return time > 0 ? base::Result<base::Nanos>(time)
                        : base::bad_input(flag, "\"" + text + "\" leaves no time",
                                          "a duration above 0, such as 10s");
      });
}

base::Result<std::optional<price::Offer>> offer_of(const SearchFlags& flags) {
  const bool by_token = !flags.price_input.empty() || !flags.price_output.empty();
  if (flags.price.empty() && !by_token) {
    return std::optional<price::Offer>();
  }
  if (!flags.price.empty() && by_token) {
    return base::bad_input("--price", "a price by time and one by token", "one of them");
  }
  if (by_token && (flags.price_input.empty() || flags.price_output.empty())) {
    return base::bad_input(flags.price_input.empty() ? "--price-input" : "--price-output",
                           "it is missing", "both prices by token, such as \"0.15 USD/Mtok\"");
  }
  price::Offer offer{price::PerTime{*quantity::parse_price("", "0 USD/h")}, "", "", ""};
  if (by_token) {
    const auto input = quantity::parse_price("--price-input", flags.price_input);
    const auto output = quantity::parse_price("--price-output", flags.price_output);
    if (!input || !output) {
      return tl::unexpected((input ? output : input).error());
    }
    offer.scheme = price::PerToken{*input, *output, {}, {}};
  } else {
    const auto price = quantity::parse_price("--price", flags.price);
    if (!price) {
      return tl::unexpected(price.error());
    }
    offer.scheme = price::PerTime{*price, flags.gpus, 0, 0};
  }
  return price::check(by_token ? "--price-input" : "--price", offer).map([&] {
    return std::optional(offer);
  });
}

}  // namespace

void add_flags(CLI::App& command, SearchFlags& flags) {
  command.add_option("--sweep-max-concurrency", flags.sweep_concurrency,
                     "measure each of these, one after the other: 1,8,64");
  command.add_option("--sweep-request-rate", flags.sweep_rate, "the same of rates: 1,2,4,inf");
  command.add_option("--sweep-input-len", flags.sweep_input_len,
                     "the same of random input lengths, each with every load: 128,512,2048");
  command.add_option("--find-max", flags.find_max,
                     "concurrency or rate: find the largest that meets the SLA");
  command.add_option("--search-from", flags.from, "the first load to try (default: 1)");
  command.add_option("--search-to", flags.to,
                     "none above it (default: 1024 requests at once, or 10000 a second)");
  command.add_option("--search-resolution", flags.resolution, "how exactly the load is found")
      ->capture_default_str();
  command.add_option("--step-least", flags.step_least, "each load is measured so long at least")
      ->capture_default_str();
  command
      .add_option("--step-most", flags.step_most,
                  "and so long at most, three times that for the last word; longer where "
                  "requests take longer")
      ->capture_default_str();
  command.add_option("--search-time", flags.time,
                     "all of it takes no longer (default: 10min for --find-max)");
  command.add_option("--max-spend", flags.max_spend, "all of it costs no more, such as \"5 USD\"");
  command.add_option("--price", flags.price, "of the endpoint by time, such as \"1.2 USD/h\"");
  command.add_option("--gpus", flags.gpus, "where --price is for one GPU: how many there are")
      ->capture_default_str();
  command.add_option("--price-input", flags.price_input, "by token, such as \"0.15 USD/Mtok\"");
  command.add_option("--price-output", flags.price_output, "and of its output");
  command.add_option("--curve", flags.curve,
                     "draw what was measured, throughput against latency: this SVG file");
  command.add_option("--lang", flags.language, "en or zh: of the drawing")->capture_default_str();
}

base::Status check_alone(const SearchFlags& flags) {
  const std::array<std::pair<std::string_view, bool>, 8> given = {{
      {"--search-from", flags.from.has_value()},
      {"--search-to", flags.to.has_value()},
      {"--search-time", !flags.time.empty()},
      {"--max-spend", !flags.max_spend.empty()},
      {"--price", !flags.price.empty()},
      {"--price-input", !flags.price_input.empty()},
      {"--price-output", !flags.price_output.empty()},
      {"--curve", !flags.curve.empty()},
  }};
  for (const auto& [flag, set] : given) {
    if (set) {
      return base::bad_input(std::string(flag), "no sweep and no search is asked for",
                             "--find-max or --sweep-max-concurrency, for example");
    }
  }
  return {};
}

base::Result<LoadsAsked> loads_of(const SearchFlags& flags, const EndpointFlags& endpoint) {
  return contradiction(flags, endpoint).and_then([&] {
    return flags.find_max.empty() ? sweep_of(flags, endpoint) : search_of(flags, endpoint);
  });
}

base::Result<study::StepRules> rules_of(const SearchFlags& flags) {
  const auto least = time_of("--step-least", flags.step_least);
  const auto most = time_of("--step-most", flags.step_most);
  if (!least || !most) {
    return tl::unexpected((least ? most : least).error());
  }
  if (*least > *most) {
    return base::bad_input("--step-least", "it is longer than --step-most",
                           "5s and 60s, for example");
  }
  study::StepRules rules;
  rules.least = *least;
  rules.most = *most;
  return rules;
}

base::Result<study::Budget> budget_of(const SearchFlags& flags) {
  study::Budget budget;
  auto offer = offer_of(flags);
  if (!offer) {
    return tl::unexpected(offer.error());
  }
  budget.offer = std::move(*offer);
  if (!flags.time.empty()) {
    const auto time = time_of("--search-time", flags.time);
    if (!time) {
      return tl::unexpected(time.error());
    }
    budget.time = *time;
  } else if (!flags.find_max.empty()) {
    budget.time = kSearchTime;
  }
  if (!flags.max_spend.empty()) {
    auto most = quantity::Money::parse("--max-spend", flags.max_spend);
    if (!most) {
      return tl::unexpected(most.error());
    }
    budget.most = std::move(*most);
  }
  return study::check("--max-spend", budget).map([&] { return budget; });
}

}  // namespace steelyard::command
