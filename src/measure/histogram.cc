#include "measure/histogram.h"

#include <algorithm>

#include "measure/percentile.h"

namespace steelyard::measure {
base::Nanos Histogram::middle_of(std::size_t bucket) {
  if (bucket < 2 * kSub) {
    return static_cast<base::Nanos>(bucket);
  }
  const std::uint64_t shift = (bucket >> kSubBits) - 1;
  const std::uint64_t low = (bucket - (shift << kSubBits)) << shift;
  return static_cast<base::Nanos>(low + (1ULL << (shift - 1)));
}

Histogram::Histogram() : buckets_(bucket_of(kLargest) + 1) {}

void Histogram::record(base::Nanos value, std::uint64_t times) {
  if (times == 0) {
    return;
  }
  value = std::clamp<base::Nanos>(value, 0, kLargest);
  buckets_[bucket_of(value)] += times;
  count_ += times;
  smallest_ = std::min(smallest_, value);
  largest_ = std::max(largest_, value);
}

void Histogram::merge(const Histogram& other) {
  std::transform(buckets_.begin(), buckets_.end(), other.buckets_.begin(), buckets_.begin(),
                 std::plus<>{});
  count_ += other.count_;
  smallest_ = std::min(smallest_, other.smallest_);
  largest_ = std::max(largest_, other.largest_);
}

std::optional<base::Nanos> Histogram::percentile(double q) const {
  return count_ == 0 ? std::nullopt : std::optional(at_rank(nearest_rank(q, count_)));
}

base::Nanos Histogram::at_rank(std::uint64_t rank) const {
  if (rank >= count_) {
    return largest_;
  }
  std::uint64_t seen = 0;
  for (std::size_t bucket = 0; bucket < buckets_.size(); ++bucket) {
    seen += buckets_[bucket];
    if (seen >= rank) {
      return std::clamp(middle_of(bucket), smallest_, largest_);
    }
  }
  return largest_;
}

}  // namespace steelyard::measure
