// What one request asks, before it is put into a platform's dialect.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/clock.h"

namespace steelyard::workload {

// One exchange of a conversation.
struct Turn {
  std::string user;
  std::string assistant;
};

struct Request {
  std::string prompt;
  std::int64_t input_tokens = 0;   // as asked or estimated; the server's usage says the true count
  std::int64_t output_tokens = 0;  // the limit it is sent with
  base::Nanos due = 0;             // after the start
  std::vector<Turn> history{};     // of its session, the oldest first; empty for most
};

}  // namespace steelyard::workload
