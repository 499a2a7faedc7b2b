// The text that emulators speak, and how they count that of others: there is no tokenizer here, so
// a word is a token.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/json.h"

namespace steelyard::emulate {

// With the space before it. Nothing in it is escaped in JSON.
[[nodiscard]] std::string_view word_at(std::int64_t index);
// Words [first, first + count).
void append_words(std::int64_t first, std::int64_t count, std::string& to);
// Words [0, count).
[[nodiscard]] std::string text_of(std::int64_t count);

[[nodiscard]] std::int64_t words_in(std::string_view text);
// Of a string, a list of strings or numbers, or a list of {"text": ...}.
[[nodiscard]] std::int64_t words_of(const base::Json& content);

}  // namespace steelyard::emulate
