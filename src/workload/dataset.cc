#include "workload/dataset.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "base/file.h"
#include "workload/limits.h"
#include "workload/prompts.h"
#include "workload/sharegpt.h"
#include "workload/trace.h"

namespace steelyard::workload {
namespace {

using Requests = base::Result<std::vector<Request>>;

constexpr std::int64_t kDefaultPrompts = 1'000;

// As vLLM's sampler drops them: too short to be a question, too long for a small context.
constexpr std::int64_t kShortest = 4;
constexpr std::int64_t kLongestPrompt = 1'024;
constexpr std::int64_t kLongestTotal = 2'048;

// Streams of the one seed.
constexpr std::uint64_t kLengthStream = 11;
constexpr std::uint64_t kShuffleStream = 12;
constexpr std::uint64_t kArrivalStream = 13;

base::Status enough(const DatasetOptions& options, std::size_t usable) {
  const auto wanted = options.num_prompts.value_or(0);
  if (wanted <= static_cast<std::int64_t>(usable)) {
    return {};
  }
  return base::bad_input(
      "--num-prompts",
      fmt::format("{} has {} usable requests, and {} are asked for", options.path, usable, wanted),
      fmt::format("at most {}; a repeated prompt would come from a cache", usable));
}

std::size_t count_of(const DatasetOptions& options, std::size_t usable) {
  return options.num_prompts ? static_cast<std::size_t>(*options.num_prompts) : usable;
}

Requests random_requests(const DatasetOptions& options) {
  const auto input =
      length_range(options.random_input_len, options.range_ratio, options.range_style);
  const auto output =
      length_range(options.random_output_len, options.range_ratio, options.range_style);
  if (!input || !output) {
    return tl::unexpected(input ? output.error() : input.error());
  }
  base::Random random = base::Random(options.seed).fork(kLengthStream);
  const Prompts prompts(options.seed, PromptPurpose::kMeasured);
  std::vector<Request> requests(
      static_cast<std::size_t>(options.num_prompts.value_or(kDefaultPrompts)));
  for (std::size_t i = 0; i < requests.size(); ++i) {
    Request& request = requests[i];
    request.input_tokens = draw(*input, random);
    request.output_tokens = draw(*output, random);
    request.prompt = prompts.make(i, request.input_tokens);
  }
  return requests;
}

bool usable(const Request& request) {
  return request.input_tokens >= kShortest && request.output_tokens >= kShortest &&
         request.input_tokens <= kLongestPrompt &&
         request.input_tokens + request.output_tokens <= kLongestTotal;
}

template <typename Item>
void shuffle(std::vector<Item>& items, base::Random random) {
  for (std::size_t i = items.size(); i > 1; --i) {
    std::swap(items[i - 1],
              items[static_cast<std::size_t>(random.integer(0, static_cast<std::int64_t>(i) - 1))]);
  }
}

Requests sharegpt_requests(const DatasetOptions& options) {
  auto conversations = base::read_file(options.path).and_then([&](const std::string& content) {
    return parse_sharegpt(options.path, content);
  });
  if (!conversations) {
    return tl::unexpected(conversations.error());
  }
  std::vector<Request> requests;
  for (Conversation& conversation : *conversations) {
    Request request;
    request.input_tokens = estimated_tokens(conversation.prompt);
    request.output_tokens = options.output_len.value_or(estimated_tokens(conversation.answer));
    if (usable(request)) {
      request.prompt = std::move(conversation.prompt);
      requests.push_back(std::move(request));
    }
  }
  if (const auto ok = enough(options, requests.size()); !ok || requests.empty()) {
    return ok ? base::bad_input(options.path, "no conversation of a usable length")
              : tl::unexpected(ok.error());
  }
  shuffle(requests, base::Random(options.seed).fork(kShuffleStream));
  requests.resize(count_of(options, requests.size()));
  return requests;
}

// Slower arrivals stay within the clock.
base::Nanos scaled(base::Nanos due, double time_scale) {
  return static_cast<base::Nanos>(
      std::min(static_cast<double>(due) * time_scale, static_cast<double>(kLatestDue)));
}

Requests trace_requests(const DatasetOptions& options) {
  auto rows = load_trace(options.path);
  if (!rows) {
    return tl::unexpected(rows.error());
  }
  if (const auto ok = enough(options, rows->size()); !ok) {
    return tl::unexpected(ok.error());
  }
  const Prompts prompts(options.seed, PromptPurpose::kMeasured);
  std::vector<Request> requests;
  for (std::size_t i = 0; i < count_of(options, rows->size()); ++i) {
    const TraceRow& row = (*rows)[i];
    requests.push_back({prompts.make(i, row.input_tokens), row.input_tokens,
                        options.output_len.value_or(row.output_tokens),
                        scaled(row.due, options.time_scale)});
  }
  return requests;
}

base::Status within(std::string_view flag, std::int64_t count, std::string_view unit,
                    std::int64_t most) {
  return count >= 1 && count <= most
             ? base::Status()
             : base::Status(base::bad_input(std::string(flag), fmt::format("{} {}", count, unit),
                                            fmt::format("from 1 to {}", most)));
}

// Generated prompts are all held in memory.
base::Status check_random(const DatasetOptions& options) {
  const std::int64_t prompts = options.num_prompts.value_or(kDefaultPrompts);
  if (auto ok = within("--random-input-len", options.random_input_len, "tokens", kMostInputTokens)
                    .and_then([&] {
                      return within("--random-output-len", options.random_output_len, "tokens",
                                    kMostInputTokens);
                    });
      !ok) {
    return ok;
  }
  if (prompts > kMostInputTokens / options.random_input_len) {
    return base::bad_input("--random-input-len",
                           fmt::format("{} requests of {} tokens do not fit in memory", prompts,
                                       options.random_input_len),
                           fmt::format("at most {} input tokens in all", kMostInputTokens));
  }
  return {};
}

base::Status check(const DatasetOptions& options) {
  base::Status ok =
      within("--num-prompts", options.num_prompts.value_or(1), "requests", kMostRequests)
          .and_then([&] {
            return within("--output-len", options.output_len.value_or(1), "tokens",
                          kMostInputTokens);
          });
  if (ok && options.dataset == Dataset::kRandom) {
    ok = check_random(options);
  }
  if (!ok) {
    return ok;
  }
  if (!(options.time_scale > 0) || options.time_scale > kMostTimeScale) {
    return base::bad_input("--time-scale", fmt::format("a scale of {:g}", options.time_scale),
                           fmt::format("above 0 up to {:g}", kMostTimeScale));
  }
  if (options.dataset != Dataset::kRandom && options.path.empty()) {
    return base::bad_input("--dataset-path", "this dataset is read from a file, and none is named",
                           "--dataset-path FILE");
  }
  return {};
}

Requests read_dataset(const DatasetOptions& options) {
  switch (options.dataset) {
    case Dataset::kShareGpt:
      return sharegpt_requests(options);
    case Dataset::kTrace:
      return trace_requests(options);
    case Dataset::kRandom:
      break;
  }
  return random_requests(options);
}

constexpr std::array<std::string_view, 3> kNames = {"random", "sharegpt", "trace"};

}  // namespace

std::string_view name_of(Dataset dataset) { return kNames[static_cast<std::size_t>(dataset)]; }

std::optional<Dataset> dataset_named(std::string_view name) {
  const auto* const found = std::ranges::find(kNames, name);
  return found == kNames.end() ? std::nullopt
                               : std::optional(static_cast<Dataset>(found - kNames.begin()));
}

Requests build_requests(const DatasetOptions& options, const ArrivalOptions& arrivals) {
  if (const auto ok = check(options); !ok) {
    return tl::unexpected(ok.error());
  }
  auto schedule = Arrivals::create(arrivals, base::Random(options.seed).fork(kArrivalStream));
  if (!schedule) {
    return tl::unexpected(schedule.error());
  }
  auto requests = read_dataset(options);
  const bool own_arrivals = options.dataset == Dataset::kTrace && std::isinf(arrivals.rate_rps);
  if (!requests || own_arrivals) {
    return requests;
  }
  for (Request& request : *requests) {
    request.due = schedule->next();
  }
  return requests;
}

base::Status check_warmups(const std::vector<Request>& measured, std::int64_t count) {
  if (count < 0 || count > kMostWarmups) {
    return base::bad_input("--num-warmups", fmt::format("{} requests", count),
                           fmt::format("from 0 to {}", kMostWarmups));
  }
  std::int64_t longest = 1;
  for (const Request& request : measured) {
    longest = std::max(longest, request.input_tokens);
  }
  if (count > kMostInputTokens / longest) {
    return base::bad_input(
        "--num-warmups",
        fmt::format("{} requests of up to {} tokens do not fit in memory", count, longest),
        fmt::format("at most {}", kMostInputTokens / longest));
  }
  return {};
}

std::vector<Request> warmup_requests(const std::vector<Request>& measured, std::int64_t count,
                                     std::uint64_t seed) {
  const Prompts prompts(seed, PromptPurpose::kWarmup);
  std::vector<Request> requests;
  for (std::int64_t i = 0; i < count && !measured.empty(); ++i) {
    const Request& model = measured[static_cast<std::size_t>(i) % measured.size()];
    requests.push_back({prompts.make(static_cast<std::uint64_t>(i), model.input_tokens),
                        model.input_tokens, model.output_tokens, 0});
  }
  return requests;
}

std::int64_t estimated_tokens(std::string_view text) {
  constexpr std::size_t kBytesPerToken = 4;
  return static_cast<std::int64_t>(
      std::max<std::size_t>(1, (text.size() + kBytesPerToken - 1) / kBytesPerToken));
}

}  // namespace steelyard::workload
