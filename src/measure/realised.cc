#include "measure/realised.h"

#include <algorithm>

namespace steelyard::measure {

void LengthRow::add(std::int64_t tokens) {
  min = n == 0 ? tokens : std::min(min, tokens);
  max = n == 0 ? tokens : std::max(max, tokens);
  total += tokens;
  ++n;
}

void RealisedLengths::add(std::int64_t input_tokens, std::int64_t output_tokens,
                          const RequestLog& log) {
  asked_input.add(input_tokens);
  asked_output.add(output_tokens);
  if (log.outcome != Outcome::kCompleted) {
    return;
  }
  const bool counted = log.token_source == TokenSource::kUsage && log.output_tokens;
  if (!counted) {
    ++unknown;
    return;
  }
  if (log.input_tokens) {
    input.add(*log.input_tokens);
  }
  output.add(*log.output_tokens);
  osl_mismatch += *log.output_tokens != output_tokens ? 1 : 0;
  shorter += *log.output_tokens < output_tokens ? 1 : 0;
}

}  // namespace steelyard::measure
