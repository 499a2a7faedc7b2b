// When a server that refused a request says it may come again. A measured run never retries: the
// hint is part of the outcome, and for what is asked beside a run.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "base/clock.h"
#include "wire/http_reader.h"

namespace steelyard::platform {

struct RetryHint {
  enum class From : std::uint8_t {
    kRetryAfterMs,    // retry-after-ms: 250 (Azure)
    kRetryAfter,      // Retry-After: 12, or an HTTP date
    kRateLimitReset,  // x-ratelimit-reset-requests: 6m0s (OpenAI), of a limit that is used up
    kText,            // "resets in ~30s" (Replicate)
  };
  base::Nanos after = 0;  // 0 for a date that has passed
  From from = From::kRetryAfter;
};

// "retry-after-ms", "retry-after", "x-ratelimit-reset", "text".
[[nodiscard]] std::string_view name_of(RetryHint::From from);

// The first of these forms that there is and that can be read, in the order above: of two fields
// the finer one holds. A date is counted from the answer's own Date, else from `wall`, nanoseconds
// since 1970.
[[nodiscard]] std::optional<RetryHint> retry_hint(const wire::HttpHead& head, std::string_view body,
                                                  base::Nanos wall);

}  // namespace steelyard::platform
