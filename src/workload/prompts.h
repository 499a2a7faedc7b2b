// Generated prompt text. Common short English words are one token each in the usual byte-pair
// vocabularies, so n words are about n tokens without any tokenizer; the true length is the
// server's usage, and reports show that one. Text is made while a run goes on, on the thread that
// sends it, so it costs a few nanoseconds a word.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

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
  // The same words put behind what `text` has.
  void append(std::string& text, std::uint64_t index, std::int64_t tokens) const;
  // Words that all who name the same key share, byte for byte: a system prompt, a cached block. A
  // shorter one is the beginning of a longer one. Two keys' differ from their first words on.
  void append_shared(std::string& text, std::uint64_t key, std::int64_t tokens) const;

 private:
  base::Random random_;
  base::Random shared_;
  PromptPurpose purpose_;
};

// Tokens in English text without a tokenizer: a quarter of the bytes, at least 1. An estimate.
[[nodiscard]] std::int64_t estimated_tokens(std::string_view text);

}  // namespace steelyard::workload
