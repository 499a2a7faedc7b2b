// How an emulated platform behaves: its timing, its capacity, its faults.
#pragma once

#include <cstdint>
#include <string>

#include "base/clock.h"
#include "base/error.h"
#include "base/random.h"
#include "base/yaml_reader.h"

namespace steelyard::emulate {

// Log-normal, given by two of its percentiles; p99 == p50 is a constant.
struct Spread {
  base::Nanos p50 = 0;
  base::Nanos p99 = 0;
};
[[nodiscard]] base::Nanos draw(const Spread& spread, base::Random& random);

enum class FailureKind : std::uint8_t {
  kUnavailable,  // 503 with a JSON error
  kRateLimited,  // 429 with Retry-After
  kErrorInBand,  // 200, some tokens, then an error event
  kTruncated,    // 200, some tokens, then the connection ends
  kNoToken,      // 200, finish and [DONE] without one token
};

struct Profile {
  std::string name = "emulated";
  std::string platform = "openai";  // whose protocol it speaks: voice.h
  std::string model = "emulated-model";
  Spread ttft{100 * base::kMillisecond, 100 * base::kMillisecond};  // once a slot is free
  Spread itl{20 * base::kMillisecond, 20 * base::kMillisecond};     // between chunks
  std::int64_t tokens_per_chunk = 1;
  std::int64_t default_output_tokens = 64;  // where the request sets no limit
  std::int64_t slots = 256;                 // requests served at once; the rest queue
  base::Nanos cold_start = 0;               // added to the first request, and after idling
  base::Nanos idle_timeout = 0;             // idle for so long, it is cold again; 0: never
  double failure_rate = 0;                  // share of requests, in [0, 1]
  FailureKind failure_kind = FailureKind::kUnavailable;
  std::uint64_t seed = 1;
};

// From a mapping; complaints go to the map, and its `finish` reports them.
[[nodiscard]] Profile read_profile(base::YamlMap& map);
[[nodiscard]] base::Result<Profile> load_profile(const std::string& path);

}  // namespace steelyard::emulate
