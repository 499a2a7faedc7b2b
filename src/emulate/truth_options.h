// What the truth server is told: when tokens are due, or that they are not paced at all.
#pragma once

#include <cstdint>
#include <string>

#include "base/clock.h"

namespace steelyard::emulate {

struct FaultScript;

struct TruthOptions {
  std::string host = "127.0.0.1";
  std::uint16_t port = 0;  // 0: any free one
  std::string model = "emulated-model";
  base::Nanos ttft = 100 * base::kMillisecond;  // from the request's arrival in the kernel
  base::Nanos itl = 20 * base::kMillisecond;
  bool instant = false;                 // the whole answer at once; ttft and itl do not hold
  std::int64_t output_tokens = 100;     // where the request sets no limit
  const FaultScript* script = nullptr;  // answers every generation with it, a piece a token time
};

}  // namespace steelyard::emulate
