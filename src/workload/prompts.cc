#include "workload/prompts.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <string_view>

namespace steelyard::workload {
namespace {

// 128 words: seven bits of the index each, and all of them different.
constexpr std::array<std::string_view, 128> kWords = {
    "time",    "year",      "people",   "way",      "day",     "man",      "thing",    "woman",
    "life",    "child",     "world",    "school",   "state",   "family",   "student",  "group",
    "country", "problem",   "hand",     "part",     "place",   "case",     "week",     "company",
    "system",  "program",   "question", "work",     "night",   "point",    "home",     "water",
    "room",    "mother",    "area",     "money",    "story",   "fact",     "month",    "lot",
    "right",   "study",     "book",     "eye",      "job",     "word",     "business", "issue",
    "side",    "kind",      "head",     "house",    "service", "friend",   "father",   "power",
    "hour",    "game",      "line",     "end",      "member",  "law",      "car",      "city",
    "name",    "team",      "minute",   "idea",     "body",    "back",     "parent",   "face",
    "level",   "office",    "door",     "health",   "person",  "art",      "war",      "history",
    "party",   "result",    "change",   "morning",  "reason",  "moment",   "air",      "teacher",
    "force",   "education", "foot",     "boy",      "age",     "policy",   "music",    "market",
    "sense",   "nation",    "plan",     "college",  "death",   "interest", "class",    "field",
    "rate",    "effect",    "role",     "street",   "value",   "action",   "process",  "model",
    "season",  "society",   "tax",      "director", "record",  "paper",    "space",    "ground",
    "form",    "event",     "official", "matter",   "center",  "couple",   "site",     "project"};

constexpr std::int64_t kIndexWords = 3;  // after the first
constexpr std::uint64_t kSharedStream = 0x5AAD;

// Each word behind a space, in a slot that is copied whole: one move of 16 bytes a word.
struct Slot {
  std::array<char, 16> text{};
  std::size_t length = 0;
};
constexpr std::array<Slot, 128> kSlots = [] {
  std::array<Slot, 128> slots;
  for (std::size_t i = 0; i < slots.size(); ++i) {
    slots[i].text[0] = ' ';
    std::copy(kWords[i].begin(), kWords[i].end(), slots[i].text.begin() + 1);
    slots[i].length = kWords[i].size() + 1;
  }
  return slots;
}();
constexpr std::size_t kLongest = std::ranges::max(kSlots, {}, &Slot::length).length;
constexpr std::int64_t kWordsAtOnce = 4'096;  // the string grows by so many

// Appends `count` words, `word()` being the number of each; no space before the very first.
template <typename Word>
void append_words(std::string& text, std::int64_t count, const Word& word) {
  while (count > 0) {
    const std::int64_t now = std::min(count, kWordsAtOnce);
    const std::size_t used = text.size();
    text.resize(used + static_cast<std::size_t>(now) * kLongest + sizeof(Slot::text));
    char* at = text.data() + used;
    for (std::int64_t i = 0; i < now; ++i) {
      const Slot& slot = kSlots[word()];
      const std::size_t skip = at == text.data() ? 1 : 0;
      std::memcpy(at, slot.text.data() + skip, slot.text.size() - skip);
      at += slot.length - skip;
    }
    text.resize(static_cast<std::size_t>(at - text.data()));
    count -= now;
  }
}

// Nine words out of each number drawn.
class RandomWords {
 public:
  explicit RandomWords(base::Random random) : random_(random) {}
  std::size_t operator()() {
    if (left_ == 0) {
      bits_ = random_.next();
      left_ = 9;
    }
    const auto word = static_cast<std::size_t>(bits_ & 127);
    bits_ >>= 7;
    --left_;
    return word;
  }

 private:
  base::Random random_;
  std::uint64_t bits_ = 0;
  int left_ = 0;
};

}  // namespace

Prompts::Prompts(std::uint64_t seed, PromptPurpose purpose)
    : random_(base::Random(seed).fork(static_cast<std::uint64_t>(purpose))),
      shared_(random_.fork(kSharedStream)),
      purpose_(purpose) {}

std::string Prompts::make(std::uint64_t index, std::int64_t tokens) const {
  std::string text;
  append(text, index, tokens);
  return text;
}

void Prompts::append(std::string& text, std::uint64_t index, std::int64_t tokens) const {
  // One bit of the first word tells the purposes apart, six bits are the index's lowest.
  std::size_t word = (index & 63) * 2 + (purpose_ == PromptPurpose::kWarmup ? 1 : 0);
  std::uint64_t left = index >> 6;
  append_words(text, std::min(tokens, kIndexWords + 1), [&] {
    const std::size_t now = word;
    word = left & 127;
    left >>= 7;
    return now;
  });
  RandomWords words(random_.fork(index));
  append_words(text, tokens - kIndexWords - 1, [&] { return words(); });
}

void Prompts::append_shared(std::string& text, std::uint64_t key, std::int64_t tokens) const {
  RandomWords words(shared_.fork(key));
  append_words(text, tokens, [&] { return words(); });
}

std::int64_t estimated_tokens(std::string_view text) {
  constexpr std::size_t kBytesPerToken = 4;
  return static_cast<std::int64_t>(
      std::max<std::size_t>(1, (text.size() + kBytesPerToken - 1) / kBytesPerToken));
}

}  // namespace steelyard::workload
