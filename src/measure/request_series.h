// The requests of a run in order of sending, a few bytes each and no more than a quarter of a
// million: what tells how they hang together, and when the run had settled.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "measure/event_log.h"
#include "measure/histogram.h"
#include "measure/request_metrics.h"

namespace steelyard::measure {

// One value a request.
enum class PerRequest : std::uint8_t {
  kTtft,
  kTtfo,
  kTpot,
  kE2e,
  kResponseTtft,
  kResponseE2e,
  kSendLag,
};
inline constexpr std::size_t kPerRequestMetrics = 7;

class RequestSeries {
 public:
  // Of a longer run the first so many are kept, by their number. That they hang together like the
  // rest is then taken as given.
  static constexpr std::size_t kMost = 262'144;

  struct Row {
    std::int32_t sent_ms = 0;  // after the first that was added
    std::uint32_t output_tokens = 0;
    // Buckets of `Histogram`: within its relative error.
    std::array<std::uint16_t, kPerRequestMetrics> codes{};
    bool present = false;  // false: no request of that number has ended
    bool completed = false;

    [[nodiscard]] std::optional<base::Nanos> value(PerRequest metric) const;
  };

  void add(const RequestLog& log, const RequestMetrics& metrics);
  // The other's requests were sent after these.
  void append(const RequestSeries& other);

  // By number; some may not be present.
  [[nodiscard]] const std::vector<Row>& rows() const { return rows_; }

  // The autocorrelation time of a metric, absent values left out; or of the share of its values at
  // or above a threshold. With failures, a request that failed is at or above every threshold.
  enum class Failures : std::uint8_t { kLeftOut, kInfinite };
  [[nodiscard]] std::optional<double> time_of_mean(PerRequest metric) const;
  [[nodiscard]] std::optional<double> time_of_share(PerRequest metric, double at_least_ns,
                                                    Failures failures) const;

 private:
  std::vector<Row> rows_;
  std::optional<base::Nanos> origin_;
};

}  // namespace steelyard::measure
