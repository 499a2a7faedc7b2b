#include "measure/realised.h"

#include <algorithm>

namespace steelyard::measure {

void LengthRow::add(std::int64_t tokens) {
  min = n == 0 ? tokens : std::min(min, tokens);
  max = n == 0 ? tokens : std::max(max, tokens);
  total += tokens;
  ++n;
}

void LengthRow::merge(const LengthRow& other) {
  if (other.n == 0) {
    return;
  }
  min = n == 0 ? other.min : std::min(min, other.min);
  max = n == 0 ? other.max : std::max(max, other.max);
  total += other.total;
  n += other.n;
}

void RealisedLengths::add(const RequestLog& log) {
  if (log.asked_input_tokens) {
    asked_input.add(*log.asked_input_tokens);
  }
  if (log.asked_output_tokens) {
    asked_output.add(*log.asked_output_tokens);
  }
  if (log.outcome != Outcome::kCompleted) {
    return;
  }
  const bool counted = log.token_source == TokenSource::kUsage && log.output_tokens;
  if (counted && log.input_tokens) {
    input.add(*log.input_tokens);
  }
  if (counted) {
    output.add(*log.output_tokens);
  }
  if (!counted || !log.asked_output_tokens) {
    ++unknown;
    return;
  }
  osl_mismatch += *log.output_tokens != *log.asked_output_tokens ? 1 : 0;
  shorter += *log.output_tokens < *log.asked_output_tokens ? 1 : 0;
}

void RealisedLengths::merge(const RealisedLengths& other) {
  asked_input.merge(other.asked_input);
  asked_output.merge(other.asked_output);
  input.merge(other.input);
  output.merge(other.output);
  osl_mismatch += other.osl_mismatch;
  shorter += other.shorter;
  unknown += other.unknown;
}

}  // namespace steelyard::measure
