// Datasets whose text is made up: of drawn lengths, with shared beginnings, in verse.
#include <algorithm>
#include <numeric>

#include "workload/content.h"
#include "workload/limits.h"
#include "workload/prompts.h"
#include "workload/verse.h"

namespace steelyard::workload {
namespace {

class Random final : public Content {
 public:
  Random(const DatasetOptions& options, LengthRange input, LengthRange output,
         PromptPurpose purpose)
      : prefix_tokens_(options.random_prefix_len),
        input_(input),
        output_(output),
        lengths_(base::Random(options.seed).fork(kLengthStream)),
        prompts_(options.seed, purpose) {}

  [[nodiscard]] std::optional<std::int64_t> count() const override { return std::nullopt; }

  Request make(std::size_t index) override {
    Request request;
    const std::int64_t own = draw(input_, lengths_);
    request.output_tokens = draw(output_, lengths_);
    request.input_tokens = prefix_tokens_ + own;
    prompts_.append_shared(request.prompt, 0, prefix_tokens_);
    prompts_.append(request.prompt, index, own);
    return request;
  }

 private:
  std::int64_t prefix_tokens_;
  LengthRange input_;
  LengthRange output_;
  base::Random lengths_;
  Prompts prompts_;
};

// Each prefix comes once in every run of `num_prefixes` requests, in an order drawn anew for each
// run: as even as a shuffle of the whole, without holding it.
class Prefixes final : public Content {
 public:
  Prefixes(const DatasetOptions& options, PromptPurpose purpose)
      : options_(options.prefix),
        order_(static_cast<std::size_t>(options.prefix.num_prefixes)),
        random_(base::Random(options.seed).fork(kShuffleStream)),
        shuffled_(options.shuffle),
        prompts_(options.seed, purpose) {
    std::iota(order_.begin(), order_.end(), 0);
  }

  [[nodiscard]] std::optional<std::int64_t> count() const override { return std::nullopt; }

  Request make(std::size_t index) override {
    const std::size_t place = index % order_.size();
    if (place == 0 && shuffled_) {
      shuffle(order_, random_);
    }
    Request request;
    request.input_tokens = options_.prefix_len + options_.suffix_len;
    request.output_tokens = options_.output_len;
    prompts_.append_shared(request.prompt, order_[place], options_.prefix_len);
    prompts_.append(request.prompt, index, options_.suffix_len);
    return request;
  }

  void note(SourceFacts& facts) const override { facts.repeats = options_.suffix_len == 0; }

 private:
  PrefixOptions options_;
  std::vector<std::uint32_t> order_;
  base::Random random_;
  bool shuffled_;
  Prompts prompts_;
};

class Sonnet final : public Content {
 public:
  Sonnet(const DatasetOptions& options, PromptPurpose purpose)
      : options_(options.sonnet), verse_(options.seed, purpose) {}
  [[nodiscard]] std::optional<std::int64_t> count() const override { return std::nullopt; }
  Request make(std::size_t index) override {
    Request request;
    request.input_tokens = options_.input_len;
    request.output_tokens = options_.output_len;
    request.prompt = verse_.shared(options_.prefix_len);
    verse_.append(request.prompt, index, options_.input_len - options_.prefix_len);
    return request;
  }

 private:
  SonnetOptions options_;
  Verse verse_;
};

}  // namespace

ContentResult random_content(const DatasetOptions& options, PromptPurpose purpose) {
  auto ok = within("--random-input-len", options.random_input_len, "tokens", 1, kMostTokens)
                .and_then([&] {
                  return within("--random-output-len", options.random_output_len, "tokens", 1,
                                kMostTokens);
                })
                .and_then([&] {
                  return within("--random-prefix-len", options.random_prefix_len, "tokens", 0,
                                kMostTokens);
                });
  if (!ok) {
    return tl::unexpected(ok.error());
  }
  const auto input =
      length_range(options.random_input_len, options.range_ratio, options.range_style);
  const auto output =
      length_range(options.random_output_len, options.range_ratio, options.range_style);
  if (!input || !output) {
    return tl::unexpected(input ? output.error() : input.error());
  }
  return std::make_unique<Random>(options, *input, *output, purpose);
}

ContentResult prefix_content(const DatasetOptions& options, PromptPurpose purpose) {
  const PrefixOptions& prefix = options.prefix;
  auto ok = within("--prefix-repetition-prefix-len", prefix.prefix_len, "tokens", 1, kMostTokens)
                .and_then([&] {
                  return within("--prefix-repetition-suffix-len", prefix.suffix_len, "tokens", 0,
                                kMostTokens);
                })
                .and_then([&] {
                  return within("--prefix-repetition-num-prefixes", prefix.num_prefixes, "prefixes",
                                1, kMostRequests);
                })
                .and_then([&] {
                  return within("--prefix-repetition-output-len", prefix.output_len, "tokens", 1,
                                kMostTokens);
                });
  if (!ok) {
    return tl::unexpected(ok.error());
  }
  if (prefix.suffix_len == 0 && !options.allow_repeats) {
    return base::bad_input("--prefix-repetition-suffix-len",
                           "0 tokens: whole prompts would repeat and come from a cache",
                           "1 or more, or --allow-repeats");
  }
  return std::make_unique<Prefixes>(options, purpose);
}

ContentResult sonnet_content(const DatasetOptions& options, PromptPurpose purpose) {
  const SonnetOptions& sonnet = options.sonnet;
  auto ok = within("--sonnet-input-len", sonnet.input_len, "tokens", 1, kMostTokens)
                .and_then([&] {
                  return within("--sonnet-prefix-len", sonnet.prefix_len, "tokens", 0,
                                sonnet.input_len - 1);
                })
                .and_then([&] {
                  return within("--sonnet-output-len", sonnet.output_len, "tokens", 1, kMostTokens);
                });
  if (!ok) {
    return tl::unexpected(ok.error());
  }
  return std::make_unique<Sonnet>(options, purpose);
}

}  // namespace steelyard::workload
