// Generated prompt text. Common short English words are one token each in the usual byte-pair
// vocabularies, so n words are about n tokens without any tokenizer; the true length is the
// server's usage, and reports show that one.
#pragma once

#include <cstdint>
#include <string>

#include "base/random.h"

namespace steelyard::workload {

// Warm-up prompts must not warm the cache for the measured ones, so they differ from the first
// word.
enum class PromptPurpose : std::uint8_t { kMeasured, kWarmup };

class Prompts {
 public:
  Prompts(std::uint64_t seed, PromptPurpose purpose);
  // Prompt number `index`, about `tokens` long; the same for the same seed, purpose, index and
  // length. The first words spell the index, so no two prompts of at least four words share a
  // beginning that a prefix cache could serve (up to 2^27 prompts).
  [[nodiscard]] std::string make(std::uint64_t index, std::int64_t tokens) const;

 private:
  base::Random random_;
  PromptPurpose purpose_;
};

}  // namespace steelyard::workload
