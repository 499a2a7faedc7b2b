// Made-up verse: text with lines, commas and capitals, as prose has them, where random words have
// none. About eight tokens a line.
#pragma once

#include <cstdint>
#include <string>

#include "base/random.h"
#include "workload/prompts.h"

namespace steelyard::workload {

class Verse {
 public:
  Verse(std::uint64_t seed, PromptPurpose purpose);
  // An instruction and lines that all of the seed and purpose share, about `tokens` long.
  [[nodiscard]] std::string shared(std::int64_t tokens) const;
  // Lines of poem number `index`. The first spells the number, so that no two poems begin alike (up
  // to 2^25).
  void append(std::string& text, std::uint64_t index, std::int64_t tokens) const;

 private:
  base::Random random_;
};

}  // namespace steelyard::workload
