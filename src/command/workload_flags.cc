#include "command/workload_flags.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <charconv>

#include "base/text.h"
#include "quantity/duration.h"

namespace steelyard::command {
namespace {

void add_schedule(CLI::App& command, WorkloadFlags& flags) {
  command.add_option("--ramp-up-strategy", flags.ramp_strategy,
                     "linear or exponential: the rate goes from --ramp-up-start-rps to "
                     "--ramp-up-end-rps over --duration, or else over the requests");
  command.add_option("--ramp-up-start-rps", flags.ramp_start_rps, "requests a second at first");
  command.add_option("--ramp-up-end-rps", flags.ramp_end_rps, "and at last");
  command.add_option("--stages", flags.stages,
                     "how long at which rate: 60s@5/s,2min@5..20/s,30s@0; .. is a linear ramp");
}

void add_texts(CLI::App& command, WorkloadFlags& flags) {
  command
      .add_option("--random-prefix-len", flags.random_prefix_len,
                  "tokens that all random prompts begin with, beside their own")
      ->capture_default_str();
  command.add_option("--prefix-repetition-prefix-len,--gsp-system-prompt-len", flags.prefix_len,
                     "tokens of each shared beginning (default: 256; SGLang's name: 2048)");
  command.add_option("--prefix-repetition-suffix-len,--gsp-question-len", flags.suffix_len,
                     "tokens of each prompt's own end (default: 256; SGLang's name: 128)");
  command.add_option("--prefix-repetition-num-prefixes,--gsp-num-groups", flags.num_prefixes,
                     "shared beginnings (default: 10; SGLang's name: 64)");
  command.add_option("--prefix-repetition-output-len,--gsp-output-len", flags.prefix_output_len,
                     "tokens (default: 128; SGLang's name: 256)");
  command.add_option("--gsp-prompts-per-group", flags.prompts_per_prefix,
                     "requests for each beginning, instead of --num-prompts (SGLang's name: 16)");
  command
      .add_option("--sonnet-input-len", flags.sonnet.input_len,
                  "tokens of made-up verse, the shared beginning counted in")
      ->capture_default_str();
  command.add_option("--sonnet-prefix-len", flags.sonnet.prefix_len, "tokens that all share")
      ->capture_default_str();
  command.add_option("--sonnet-output-len", flags.sonnet.output_len, "tokens")
      ->capture_default_str();
  command.add_flag("--disable-shuffle", flags.disable_shuffle, "a file's prompts in its own order");
  command.add_flag("--allow-repeats", flags.allow_repeats,
                   "send a file's prompts again when there are too few; a cache may serve them");
}

void add_traces(CLI::App& command, WorkloadFlags& flags) {
  command.add_option("--trace-start", flags.trace_start,
                     "leave out what came before, such as 10min");
  command.add_option("--trace-duration", flags.trace_duration, "and what came after so long");
  command
      .add_option("--timed-trace-sec-multiplier", flags.timed_trace_unit_s,
                  "timed_trace: seconds in one of its units, 0.001 for milliseconds")
      ->capture_default_str();
  command
      .add_option("--timed-trace-chunk-hash-size", flags.timed_trace_block,
                  "timed_trace: tokens that one hash id stands for")
      ->capture_default_str();
  command.add_flag("--self-timed", flags.self_timed,
                   "accepted and not needed: recorded arrivals are kept without a rate");
}

void add_sessions(CLI::App& command, WorkloadFlags& flags) {
  command.add_option("--num-sessions,--num-conversations", flags.num_sessions,
                     "conversations (default: 100, or all that the file has)");
  command
      .add_option("--session-turns,--session-turns-mean", flags.session_turns,
                  "turns of each, such as 3 or 2..8")
      ->capture_default_str();
  command
      .add_option("--think-time", flags.think_time,
                  "between an answer and the next turn: 2s, exponential:2s, uniform:1s..5s, "
                  "lognormal:5s..8s (mean, deviation)")
      ->capture_default_str();
  command.add_option("--session-concurrency", flags.session_concurrency,
                     "conversations at a time (default: --max-concurrency, without a rate)");
}

bool read_whole(std::string_view text, std::int64_t& number) {
  const std::string_view digits = base::trim(text);
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  return error == std::errc{} && end == digits.data() + digits.size();
}

base::Status read_turns(std::string_view text, workload::SessionOptions& sessions) {
  const std::size_t dots = text.find("..");
  if (!read_whole(text.substr(0, dots), sessions.least_turns) ||
      !read_whole(dots == std::string_view::npos ? text : text.substr(dots + 2),
                  sessions.most_turns)) {
    return base::bad_input("--session-turns",
                           fmt::format("\"{}\" is no number of turns", base::valid_utf8(text)),
                           "for example 3 or 2..8");
  }
  return {};
}

base::Status read_window(const WorkloadFlags& flags, workload::TraceOptions& trace) {
  if (!flags.trace_start.empty()) {
    const auto start = quantity::parse_duration("--trace-start", flags.trace_start);
    if (!start) {
      return tl::unexpected(start.error());
    }
    trace.start = *start;
  }
  if (!flags.trace_duration.empty()) {
    const auto duration = quantity::parse_duration("--trace-duration", flags.trace_duration);
    if (!duration) {
      return tl::unexpected(duration.error());
    }
    trace.duration = *duration;
  }
  return {};
}

void read_prefixes(const WorkloadFlags& flags, std::string_view dataset_name,
                   workload::DatasetOptions& options) {
  const bool sglang = dataset_name == "generated-shared-prefix";
  const workload::PrefixOptions usual =
      sglang ? workload::PrefixOptions{2'048, 128, 64, 256} : workload::PrefixOptions{};
  options.prefix = {flags.prefix_len.value_or(usual.prefix_len),
                    flags.suffix_len.value_or(usual.suffix_len),
                    flags.num_prefixes.value_or(usual.num_prefixes),
                    flags.prefix_output_len.value_or(usual.output_len)};
  const bool counted = flags.prompts_per_prefix || (sglang && !options.num_prompts);
  if (options.dataset == workload::Dataset::kPrefixRepetition && counted && !options.endless) {
    constexpr std::int64_t kPerPrefix = 16;
    std::int64_t total = 0;  // what does not fit is refused as too many
    if (__builtin_mul_overflow(options.prefix.num_prefixes,
                               flags.prompts_per_prefix.value_or(kPerPrefix), &total)) {
      total = std::numeric_limits<std::int64_t>::max();
    }
    options.num_prompts = total;
  }
}

}  // namespace

void add_flags(CLI::App& command, WorkloadFlags& flags) {
  add_schedule(command, flags);
  add_texts(command, flags);
  add_traces(command, flags);
  add_sessions(command, flags);
}

base::Status read_schedule(const WorkloadFlags& flags, std::optional<base::Nanos> over,
                           workload::ArrivalOptions& arrivals) {
  if (!flags.stages.empty()) {
    auto stages = workload::parse_stages("--stages", flags.stages);
    if (!stages) {
      return tl::unexpected(stages.error());
    }
    arrivals.stages = std::move(*stages);
  }
  if (flags.ramp_strategy.empty()) {
    return flags.ramp_start_rps || flags.ramp_end_rps
               ? base::Status(base::bad_input("--ramp-up-strategy", "a ramp without its kind",
                                              "linear or exponential"))
               : base::Status();
  }
  if (flags.ramp_strategy != "linear" && flags.ramp_strategy != "exponential") {
    return base::bad_input("--ramp-up-strategy",
                           fmt::format("'{}' is not known", base::valid_utf8(flags.ramp_strategy)),
                           "linear or exponential");
  }
  if (!flags.ramp_start_rps || !flags.ramp_end_rps) {
    return base::bad_input("--ramp-up-strategy", "a ramp without both its ends",
                           "--ramp-up-start-rps and --ramp-up-end-rps");
  }
  arrivals.ramp = workload::Ramp{*flags.ramp_start_rps, *flags.ramp_end_rps,
                                 flags.ramp_strategy == "exponential", over};
  return {};
}

base::Status read_dataset(const WorkloadFlags& flags, std::string_view dataset_name,
                          std::optional<std::int64_t> at_once, workload::DatasetOptions& options) {
  options.random_prefix_len = flags.random_prefix_len;
  options.sonnet = flags.sonnet;
  options.shuffle = !flags.disable_shuffle;
  options.allow_repeats = flags.allow_repeats;
  options.trace.format = workload::trace_format_named(dataset_name);
  options.trace.unit_s = flags.timed_trace_unit_s;
  options.trace.block_tokens = flags.timed_trace_block;
  read_prefixes(flags, dataset_name, options);
  options.sessions.sessions = flags.num_sessions;
  options.sessions.at_once = flags.session_concurrency ? flags.session_concurrency : at_once;
  return read_window(flags, options.trace)
      .and_then([&] { return read_turns(flags.session_turns, options.sessions); })
      .and_then([&] {
        return workload::parse_think_time("--think-time", flags.think_time)
            .map([&](const workload::ThinkTime& think) { options.sessions.think = think; });
      });
}

}  // namespace steelyard::command
