#include "emulate/words.h"

#include <array>
#include <nlohmann/json.hpp>

namespace steelyard::emulate {
namespace {

constexpr std::array<std::string_view, 16> kWords = {
    " the",   " load", " on", " one", " beam", " is",    " weighed", " and",
    " found", " to",   " be", " of",  " this", " price", " per",     " token"};

}  // namespace

std::string_view word_at(std::int64_t index) {
  return kWords[static_cast<std::size_t>(index) % kWords.size()];
}

void append_words(std::int64_t first, std::int64_t count, std::string& to) {
  for (std::int64_t i = first; i < first + count; ++i) {
    to += word_at(i);
  }
}

std::string text_of(std::int64_t count) {
  std::string text;
  append_words(0, count, text);
  return text;
}

std::int64_t words_in(std::string_view text) {
  std::int64_t words = 0;
  bool inside = false;
  for (const char c : text) {
    const bool space = c == ' ' || c == '\n' || c == '\t' || c == '\r';
    words += !space && !inside ? 1 : 0;
    inside = !space;
  }
  return words;
}

std::int64_t words_of(const base::Json& content) {
  if (content.is_string()) {
    return words_in(content.get_ref<const std::string&>());
  }
  std::int64_t words = 0;
  if (content.is_array()) {
    for (const base::Json& part : content) {
      words += part.is_number()
                   ? 1
                   : words_of(part.is_object() ? part.value("text", base::Json()) : part);
    }
  }
  return words;
}

}  // namespace steelyard::emulate
