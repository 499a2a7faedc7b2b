#include "workload/verse.h"

#include <array>
#include <string_view>

namespace steelyard::workload {
namespace {

// Thirty-two of each: five bits choose one.
using Words = std::array<std::string_view, 32>;
constexpr Words kQualities = {
    "quiet",  "golden", "distant", "early",  "silver", "patient",  "broken", "gentle",
    "narrow", "hollow", "bright",  "cold",   "secret", "tired",    "wild",   "amber",
    "slow",   "empty",  "ancient", "pale",   "steady", "lonely",   "sudden", "green",
    "heavy",  "open",   "faint",   "bitter", "warm",   "restless", "plain",  "deep"};
constexpr Words kThings = {
    "river",   "window", "harbor",  "garden", "winter",  "lantern", "mountain", "letter",
    "sparrow", "engine", "candle",  "forest", "mirror",  "station", "shadow",   "orchard",
    "bridge",  "ocean",  "road",    "stone",  "evening", "kitchen", "meadow",   "tower",
    "valley",  "island", "thunder", "ribbon", "market",  "cloud",   "signal",   "field"};
constexpr Words kDeeds = {
    "carries", "follows", "answers", "forgets", "borrows", "gathers", "measures", "remembers",
    "crosses", "covers",  "keeps",   "finds",   "leaves",  "meets",   "holds",    "wakes",
    "passes",  "hides",   "paints",  "guards",  "loses",   "warms",   "breaks",   "lifts",
    "turns",   "fills",   "names",   "hears",   "sees",    "calls",   "opens",    "greets"};

constexpr std::int64_t kTokensALine = 8;  // seven words, and the comma with the line's end
constexpr std::uint64_t kVerseStream = 0x7E85E;
constexpr std::uint64_t kSharedPoem = ~std::uint64_t{0};

// "The quiet river carries the distant lantern," cut after so many tokens. The lowest bits stand
// first, so that numbers that follow each other differ early.
void append_line(std::string& text, std::uint64_t bits, std::int64_t tokens) {
  const auto of = [&](const Words& words) {
    const std::string_view word = words[bits & 31];
    bits >>= 5;
    return word;
  };
  const std::array<std::string_view, 7> line = {"The", of(kQualities), of(kThings), of(kDeeds),
                                                "the", of(kQualities), of(kThings)};
  for (std::size_t i = 0; i < line.size() && static_cast<std::int64_t>(i) < tokens; ++i) {
    text.append(i == 0 ? "" : " ").append(line[i]);
  }
  text += tokens >= kTokensALine ? ",\n" : "";
}

void append_lines(std::string& text, base::Random random, std::int64_t tokens) {
  for (; tokens > 0; tokens -= kTokensALine) {
    append_line(text, random.next(), tokens);
  }
}

}  // namespace

Verse::Verse(std::uint64_t seed, PromptPurpose purpose)
    : random_(base::Random(seed).fork(kVerseStream + static_cast<std::uint64_t>(purpose))) {}

std::string Verse::shared(std::int64_t tokens) const {
  constexpr std::string_view kTask = "Go on with this poem in the same measure:\n";
  constexpr std::int64_t kTaskTokens = 10;
  std::string text;
  if (tokens >= kTaskTokens) {
    text = kTask;
    tokens -= kTaskTokens;
  }
  append_lines(text, random_.fork(kSharedPoem), tokens);
  text += text.empty() || text.back() == '\n' ? "" : "\n";
  return text;
}

void Verse::append(std::string& text, std::uint64_t index, std::int64_t tokens) const {
  append_line(text, index, tokens);
  append_lines(text, random_.fork(index), tokens - kTokensALine);
}

}  // namespace steelyard::workload
