// Text for people: how wide it stands in a terminal, padding, and the word they probably meant.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace steelyard::base {

// Columns a terminal needs for UTF-8 text: 2 for East Asian wide, 0 for combining marks and for
// escape sequences (ESC [ ... letter), 1 for the rest; an invalid byte counts 1.
[[nodiscard]] std::size_t display_width(std::string_view text);

enum class Align { kLeft, kRight };
// Padded with spaces to `width` columns; longer text is returned unchanged.
[[nodiscard]] std::string pad(std::string_view text, std::size_t width, Align align = Align::kLeft);
// Cut to at most `width` columns, ending in "…" when something was cut.
[[nodiscard]] std::string shorten(std::string_view text, std::size_t width);

// The candidate nearest to `word` by edit distance, or "" when none is near (more than a third of
// its letters differ).
[[nodiscard]] std::string nearest(std::string_view word, std::span<const std::string_view> known);

[[nodiscard]] std::string join(std::span<const std::string> parts, std::string_view between);
[[nodiscard]] std::vector<std::string_view> split(std::string_view text, char at);
[[nodiscard]] std::string_view trim(std::string_view text);
[[nodiscard]] std::string lower(std::string_view ascii);

// "1.500" to "1.5", "2.000" to "2"; the text must have a decimal point.
[[nodiscard]] std::string without_trailing_zeros(std::string decimal);

// Invalid UTF-8 replaced by U+FFFD, so that JSON and terminals can carry what a server sent.
[[nodiscard]] std::string valid_utf8(std::string_view bytes);

// A control character (C0, DEL, C1), a line or paragraph separator, or one that turns the direction
// of what follows: in a name it could hide or forge what a terminal shows. Letters that are written
// from right to left are none of these.
[[nodiscard]] bool has_control(std::string_view text);

}  // namespace steelyard::base
