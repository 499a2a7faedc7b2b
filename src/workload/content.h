// What is asked, one request after the other, without when: a dataset behind one face. dataset.cc
// lays a schedule over it.
#pragma once

#include <memory>
#include <optional>

#include "workload/dataset.h"
#include "workload/prompts.h"

namespace steelyard::workload {

class Content {
 public:
  virtual ~Content() = default;
  // How many requests there are; absent: as many as are wanted.
  [[nodiscard]] virtual std::optional<std::int64_t> count() const = 0;
  // Request number `index`, without its due time. Asked for once each, ascending from 0.
  virtual Request make(std::size_t index) = 0;
  // When it was recorded to come; absent where arrivals are not the dataset's matter.
  [[nodiscard]] virtual std::optional<base::Nanos> recorded(std::size_t /*index*/) const {
    return std::nullopt;
  }
  virtual void note(SourceFacts& /*facts*/) const {}
};

using ContentResult = base::Result<std::unique_ptr<Content>>;

// Texts are those of `purpose`.
[[nodiscard]] ContentResult random_content(const DatasetOptions& options, PromptPurpose purpose);
[[nodiscard]] ContentResult prefix_content(const DatasetOptions& options, PromptPurpose purpose);
[[nodiscard]] ContentResult sonnet_content(const DatasetOptions& options, PromptPurpose purpose);
[[nodiscard]] ContentResult trace_content(const DatasetOptions& options, PromptPurpose purpose);
[[nodiscard]] ContentResult sharegpt_content(const DatasetOptions& options);
[[nodiscard]] ContentResult custom_content(const DatasetOptions& options);

// Streams of the one seed; no two may be equal.
inline constexpr std::uint64_t kLengthStream = 11;
inline constexpr std::uint64_t kShuffleStream = 12;
inline constexpr std::uint64_t kArrivalStream = 13;
inline constexpr std::uint64_t kSessionStream = 14;

template <typename Item>
void shuffle(std::vector<Item>& items, base::Random& random) {
  for (std::size_t i = items.size(); i > 1; --i) {
    std::swap(items[i - 1],
              items[static_cast<std::size_t>(random.integer(0, static_cast<std::int64_t>(i) - 1))]);
  }
}

[[nodiscard]] base::Status within(std::string_view flag, std::int64_t count, std::string_view unit,
                                  std::int64_t least, std::int64_t most);

}  // namespace steelyard::workload
