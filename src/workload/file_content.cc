// Datasets of prompts that people wrote.
#include <fmt/format.h>

#include <set>

#include "base/file.h"
#include "workload/content.h"
#include "workload/custom.h"
#include "workload/prompts.h"
#include "workload/sharegpt.h"

namespace steelyard::workload {
namespace {

// As vLLM's sampler drops them: too short to be a question, too long for a small context.
constexpr std::int64_t kShortest = 4;
constexpr std::int64_t kLongestPrompt = 1'024;
constexpr std::int64_t kLongestTotal = 2'048;
constexpr std::int64_t kCustomOutput = 256;  // vLLM's default

// A list, in an order drawn from the seed; begun anew where repeats are allowed.
class Listed final : public Content {
 public:
  Listed(std::vector<Request> requests, const DatasetOptions& options)
      : requests_(std::move(requests)),
        endless_(options.allow_repeats && (options.num_prompts || options.endless)),
        repeats_(options.allow_repeats &&
                 (options.endless ||
                  options.num_prompts.value_or(0) > static_cast<std::int64_t>(requests_.size()))) {
    if (options.shuffle) {
      base::Random random = base::Random(options.seed).fork(kShuffleStream);
      shuffle(requests_, random);
    }
  }
  [[nodiscard]] std::optional<std::int64_t> count() const override {
    return endless_ ? std::nullopt : std::optional(static_cast<std::int64_t>(requests_.size()));
  }
  Request make(std::size_t index) override {
    Request& request = requests_[index % requests_.size()];
    return repeats_ ? request : std::move(request);
  }
  void note(SourceFacts& facts) const override { facts.repeats = repeats_; }

 private:
  std::vector<Request> requests_;
  bool endless_;
  bool repeats_;
};

bool usable(const Request& request) {
  return request.input_tokens >= kShortest && request.output_tokens >= kShortest &&
         request.input_tokens <= kLongestPrompt &&
         request.input_tokens + request.output_tokens <= kLongestTotal;
}

// A prompt that stands twice in a file is sent once: the second time a cache would have it.
ContentResult listed(std::vector<Request> requests, const DatasetOptions& options) {
  if (!options.allow_repeats) {
    std::set<std::string_view> seen;
    std::vector<bool> again;
    again.reserve(requests.size());
    for (const Request& request : requests) {
      again.push_back(!seen.insert(request.prompt).second);
    }
    std::size_t kept = 0;
    for (std::size_t i = 0; i < requests.size(); ++i) {
      if (!again[i] && kept++ != i) {
        requests[kept - 1] = std::move(requests[i]);
      }
    }
    requests.resize(kept);
  }
  if (requests.empty()) {
    return base::bad_input(options.path, "no conversation of a usable length");
  }
  return std::make_unique<Listed>(std::move(requests), options);
}

}  // namespace

ContentResult sharegpt_content(const DatasetOptions& options) {
  auto conversations = base::read_file(options.path).and_then([&](const std::string& content) {
    return parse_sharegpt(options.path, content);
  });
  if (!conversations) {
    return tl::unexpected(conversations.error());
  }
  std::vector<Request> requests;
  for (Conversation& conversation : *conversations) {
    Turn& first = conversation.front();
    Request request;
    request.input_tokens = estimated_tokens(first.user);
    request.output_tokens = options.output_len.value_or(estimated_tokens(first.assistant));
    if (usable(request)) {
      request.prompt = std::move(first.user);
      requests.push_back(std::move(request));
    }
  }
  return listed(std::move(requests), options);
}

ContentResult custom_content(const DatasetOptions& options) {
  auto prompts = base::read_file(options.path).and_then([&](const std::string& content) {
    return parse_custom(options.path, content);
  });
  if (!prompts) {
    return tl::unexpected(prompts.error());
  }
  std::vector<Request> requests;
  for (CustomPrompt& custom : *prompts) {
    Request request;
    request.input_tokens = estimated_tokens(custom.prompt);
    request.output_tokens =
        options.output_len.value_or(custom.output_tokens.value_or(kCustomOutput));
    request.prompt = std::move(custom.prompt);
    requests.push_back(std::move(request));
  }
  return listed(std::move(requests), options);
}

}  // namespace steelyard::workload
