#include "workload/dataset.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "base/text.h"
#include "workload/content.h"
#include "workload/limits.h"
#include "workload/prompts.h"

namespace steelyard::workload {
namespace {

constexpr std::int64_t kDefaultPrompts = 1'000;

constexpr std::array<std::string_view, 7> kNames = {
    "random", "sharegpt", "trace", "prefix_repetition", "sonnet", "custom", "sessions"};
constexpr std::string_view kSglangPrefixes = "generated-shared-prefix";

// A dataset with a schedule laid over it.
class Scheduled final : public Source {
 public:
  Scheduled(std::unique_ptr<Content> content, std::optional<Arrivals> arrivals,
            std::optional<std::int64_t> count, bool paced)
      : content_(std::move(content)), arrivals_(std::move(arrivals)), count_(count), paced_(paced) {
    plan_next();
  }

  std::optional<base::Nanos> next_due() override { return due_; }
  Request next() override {
    Request request = content_->make(index_++);
    request.due = *due_;
    plan_next();
    return request;
  }
  [[nodiscard]] bool over() const override { return !due_; }
  [[nodiscard]] std::optional<std::int64_t> planned() const override {
    return arrivals_ && arrivals_->ends() ? std::nullopt : count_;
  }
  [[nodiscard]] SourceFacts facts() const override {
    SourceFacts facts;
    facts.paced = paced_;
    content_->note(facts);
    return facts;
  }

 private:
  void plan_next() {
    if (index_ >= static_cast<std::size_t>(count_.value_or(kMostRequests))) {
      due_.reset();
    } else if (arrivals_) {
      due_ = arrivals_->next();
    } else {
      due_ = content_->recorded(index_).value_or(0);
    }
  }

  std::unique_ptr<Content> content_;
  std::optional<Arrivals> arrivals_;  // absent: as recorded
  std::optional<std::int64_t> count_;
  bool paced_;
  std::size_t index_ = 0;
  std::optional<base::Nanos> due_;
};

base::Status check(const DatasetOptions& options) {
  base::Status ok =
      within("--num-prompts", options.num_prompts.value_or(1), "requests", 1, kMostRequests)
          .and_then([&] {
            return within("--output-len", options.output_len.value_or(1), "tokens", 1, kMostTokens);
          });
  if (ok && needs_path(options.dataset) && options.path.empty()) {
    return base::bad_input("--dataset-path", "this dataset is read from a file, and none is named",
                           "--dataset-path FILE");
  }
  return ok;
}

ContentResult content_of(const DatasetOptions& options, PromptPurpose purpose) {
  if (const auto ok = check(options); !ok) {
    return tl::unexpected(ok.error());
  }
  switch (options.dataset) {
    case Dataset::kShareGpt:
      return sharegpt_content(options);
    case Dataset::kCustom:
      return custom_content(options);
    case Dataset::kTrace:
      return trace_content(options, purpose);
    case Dataset::kPrefixRepetition:
      return prefix_content(options, purpose);
    case Dataset::kSonnet:
      return sonnet_content(options, purpose);
    case Dataset::kRandom:
    case Dataset::kSessions:  // has no order of its own: sessions.h
      break;
  }
  return random_content(options, purpose);
}

// How many requests there will be; absent while only time or the schedule ends them.
base::Result<std::optional<std::int64_t>> count_of(const DatasetOptions& options,
                                                   const Content& content,
                                                   const ArrivalOptions& arrivals) {
  const auto has = content.count();
  if (has && options.num_prompts.value_or(0) > *has) {
    return base::bad_input(
        "--num-prompts",
        fmt::format("{} has {} usable requests, and {} are asked for", options.path, *has,
                    *options.num_prompts),
        fmt::format("at most {}; a repeated prompt would come from a cache", *has));
  }
  if (options.num_prompts || has) {
    return options.num_prompts ? options.num_prompts : has;
  }
  const bool ends_by_itself = options.endless || !arrivals.stages.empty();
  return ends_by_itself ? std::nullopt : std::optional(kDefaultPrompts);
}

// The total of a generated dataset is known before anything of it is made.
base::Status fits_in_memory(const DatasetOptions& options) {
  const std::int64_t prompts = options.num_prompts.value_or(kDefaultPrompts);
  if (options.dataset != Dataset::kRandom || options.random_input_len < 1 ||
      options.random_prefix_len < 0 || options.random_input_len > kMostTokens ||
      options.random_prefix_len > kMostTokens) {
    return {};  // or is refused elsewhere
  }
  const std::int64_t tokens = options.random_input_len + options.random_prefix_len;
  if (prompts <= kMostInputTokens / tokens) {
    return {};
  }
  return base::bad_input(
      "--random-input-len",
      fmt::format("{} requests of {} tokens do not fit in memory", prompts, tokens),
      fmt::format("at most {} input tokens in all", kMostInputTokens));
}

}  // namespace

base::Status within(std::string_view flag, std::int64_t count, std::string_view unit,
                    std::int64_t least, std::int64_t most) {
  return count >= least && count <= most
             ? base::Status()
             : base::Status(base::bad_input(std::string(flag), fmt::format("{} {}", count, unit),
                                            fmt::format("from {} to {}", least, most)));
}

std::string_view name_of(Dataset dataset) { return kNames[static_cast<std::size_t>(dataset)]; }

std::optional<Dataset> dataset_named(std::string_view name) {
  if (trace_format_named(name)) {
    return Dataset::kTrace;
  }
  if (name == kSglangPrefixes) {
    return Dataset::kPrefixRepetition;
  }
  const auto* const found = std::ranges::find(kNames, name);
  return found == kNames.end() ? std::nullopt
                               : std::optional(static_cast<Dataset>(found - kNames.begin()));
}

std::string dataset_names() {
  std::string names;
  for (const std::string_view name : kNames) {
    names.append(names.empty() ? "" : ", ").append(name);
  }
  return fmt::format(
      "{}, {}, or a trace by its format: azure, burstgpt, mooncake, timed_trace, "
      "vidur, splitwise, servegen",
      names, kSglangPrefixes);
}

bool needs_path(Dataset dataset) {
  return dataset == Dataset::kShareGpt || dataset == Dataset::kTrace || dataset == Dataset::kCustom;
}

base::Result<std::unique_ptr<Source>> make_source(const DatasetOptions& options,
                                                  const ArrivalOptions& arrivals) {
  if (options.dataset == Dataset::kSessions) {
    if (const auto ok = check(options); !ok) {
      return tl::unexpected(ok.error());
    }
    return session_source(options, arrivals);
  }
  auto content = content_of(options, PromptPurpose::kMeasured);
  if (!content) {
    return tl::unexpected(content.error());
  }
  const auto count = count_of(options, **content, arrivals);
  if (!count) {
    return tl::unexpected(count.error());
  }
  const bool recorded = !arrivals.paced() && (*content)->recorded(0).has_value();
  auto schedule =
      Arrivals::create(arrivals, base::Random(options.seed).fork(kArrivalStream), *count);
  if (!schedule) {
    return tl::unexpected(schedule.error());
  }
  return std::make_unique<Scheduled>(std::move(*content),
                                     recorded ? std::nullopt : std::optional(std::move(*schedule)),
                                     *count, recorded || arrivals.paced());
}

base::Result<std::vector<Request>> build_requests(const DatasetOptions& options,
                                                  const ArrivalOptions& arrivals) {
  if (options.dataset == Dataset::kSessions) {
    return base::bad_input("sessions", "a turn is not known before the answer to the last",
                           "another dataset, where all requests are made beforehand");
  }
  if (const auto ok = fits_in_memory(options); !ok) {
    return tl::unexpected(ok.error());
  }
  DatasetOptions finite = options;
  finite.endless = false;
  auto source = make_source(finite, arrivals);
  if (!source) {
    return tl::unexpected(source.error());
  }
  std::vector<Request> requests;
  requests.reserve(static_cast<std::size_t>((*source)->planned().value_or(0)));
  std::int64_t tokens = 0;
  while (!(*source)->over()) {
    requests.push_back((*source)->next());
    tokens += requests.back().input_tokens;
    if (tokens > kMostInputTokens) {
      return base::bad_input("--num-prompts",
                             fmt::format("{} requests have more than {} input tokens, which do not "
                                         "fit in memory",
                                         requests.size(), kMostInputTokens),
                             "fewer requests");
    }
  }
  return requests;
}

base::Status check_warmups(const std::vector<Request>& measured, std::int64_t count) {
  if (const auto ok = within("--num-warmups", count, "requests", 0, kMostWarmups); !ok) {
    return ok;
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

base::Result<std::vector<Request>> warmup_requests(const DatasetOptions& options,
                                                   std::int64_t count) {
  if (count == 0) {
    return std::vector<Request>{};
  }
  auto source = make_source(options, ArrivalOptions{});
  if (!source) {
    return tl::unexpected(source.error());
  }
  std::vector<Request> models;
  while (static_cast<std::int64_t>(models.size()) < count && (*source)->next_due()) {
    models.push_back((*source)->next());
    models.back().prompt.clear();
  }
  return check_warmups(models, count).map([&] {
    return warmup_requests(models, count, options.seed);
  });
}

}  // namespace steelyard::workload
