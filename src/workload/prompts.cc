#include "workload/prompts.h"

#include <array>
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

constexpr std::uint64_t kIndexWords = 3;

}  // namespace

Prompts::Prompts(std::uint64_t seed, PromptPurpose purpose)
    : random_(base::Random(seed).fork(static_cast<std::uint64_t>(purpose))), purpose_(purpose) {}

std::string Prompts::make(std::uint64_t index, std::int64_t tokens) const {
  base::Random random = random_.fork(index);
  std::string text;
  std::uint64_t left = index;
  for (std::int64_t word = 0; word < tokens; ++word) {
    if (word == 0) {
      // One bit of the first word tells the purposes apart, six bits are the index's lowest.
      text += kWords[(left & 63) * 2 + (purpose_ == PromptPurpose::kWarmup ? 1 : 0)];
      left >>= 6;
      continue;
    }
    text += ' ';
    const bool spells_index = word <= static_cast<std::int64_t>(kIndexWords);
    text += spells_index ? kWords[left & 127]
                         : kWords[static_cast<std::size_t>(random.integer(0, kWords.size() - 1))];
    left >>= spells_index ? 7 : 0;
  }
  return text;
}

}  // namespace steelyard::workload
