#include "base/text.h"

#include <algorithm>
#include <cctype>
#include <cstdint>

namespace steelyard::base {

namespace {

struct Rune {
  char32_t code;
  std::size_t bytes;
  bool valid;
};

constexpr char32_t kReplacement = 0xFFFD;

std::size_t sequence_length(unsigned char lead) {
  if (lead < 0x80) {
    return 1;
  }
  if (lead >= 0xC2 && lead <= 0xDF) {
    return 2;
  }
  if (lead >= 0xE0 && lead <= 0xEF) {
    return 3;
  }
  return lead >= 0xF0 && lead <= 0xF4 ? 4 : 0;
}

Rune decode(std::string_view text) {
  const auto lead = static_cast<unsigned char>(text[0]);
  const std::size_t length = sequence_length(lead);
  if (length == 1) {
    return {lead, 1, true};
  }
  if (length == 0 || text.size() < length) {
    return {kReplacement, 1, false};
  }
  char32_t code = lead & (0xFFU >> (length + 1));
  for (std::size_t i = 1; i < length; ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    if ((byte & 0xC0U) != 0x80U) {
      return {kReplacement, 1, false};
    }
    code = (code << 6U) | (byte & 0x3FU);
  }
  const bool overlong = (length == 3 && code < 0x800) || (length == 4 && code < 0x10000);
  const bool surrogate = code >= 0xD800 && code <= 0xDFFF;
  if (overlong || surrogate || code > 0x10FFFF) {
    return {kReplacement, 1, false};
  }
  return {code, length, true};
}

std::size_t columns(char32_t c) {
  const bool combining = (c >= 0x300 && c <= 0x36F) || (c >= 0x200B && c <= 0x200F) ||
                         (c >= 0xFE00 && c <= 0xFE0F) || c == 0xFEFF;
  if (combining || c < 0x20) {
    return 0;
  }
  // Unicode East Asian Width W and F, in blocks.
  const bool wide = (c >= 0x1100 && c <= 0x115F) || (c >= 0x2E80 && c <= 0x303E) ||
                    (c >= 0x3041 && c <= 0xA4CF) || (c >= 0xA960 && c <= 0xA97F) ||
                    (c >= 0xAC00 && c <= 0xD7A3) || (c >= 0xF900 && c <= 0xFAFF) ||
                    (c >= 0xFE30 && c <= 0xFE6F) || (c >= 0xFF00 && c <= 0xFF60) ||
                    (c >= 0xFFE0 && c <= 0xFFE6) || (c >= 0x1F300 && c <= 0x1FAFF) ||
                    (c >= 0x20000 && c <= 0x3FFFD);
  return wide ? 2 : 1;
}

// Length of an escape sequence at the start of `text`, or 0.
std::size_t escape_length(std::string_view text) {
  if (text.size() < 2 || text[0] != '\x1b' || text[1] != '[') {
    return 0;
  }
  for (std::size_t i = 2; i < text.size(); ++i) {
    if (std::isalpha(static_cast<unsigned char>(text[i])) != 0) {
      return i + 1;
    }
  }
  return text.size();
}

std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) {
    row[j] = j;
  }
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t substitute = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({substitute, row[j] + 1, row[j - 1] + 1});
    }
  }
  return row[b.size()];
}

}  // namespace

std::size_t display_width(std::string_view text) {
  std::size_t width = 0;
  while (!text.empty()) {
    if (const std::size_t skip = escape_length(text); skip > 0) {
      text.remove_prefix(skip);
      continue;
    }
    const Rune rune = decode(text);
    width += columns(rune.code);
    text.remove_prefix(rune.bytes);
  }
  return width;
}

std::string pad(std::string_view text, std::size_t width, Align align) {
  const std::size_t own = display_width(text);
  const std::string space(own < width ? width - own : 0, ' ');
  return align == Align::kLeft ? std::string(text) + space : space + std::string(text);
}

std::string shorten(std::string_view text, std::size_t width) {
  if (display_width(text) <= width) {
    return std::string(text);
  }
  std::string out;
  std::size_t used = 1;  // the ellipsis
  while (!text.empty()) {
    const Rune rune = decode(text);
    used += columns(rune.code);
    if (used > width) {
      break;
    }
    out += text.substr(0, rune.bytes);
    text.remove_prefix(rune.bytes);
  }
  return out + "…";
}

std::string nearest(std::string_view word, std::span<const std::string_view> known) {
  std::string_view best;
  std::size_t best_distance = std::max<std::size_t>(1, word.size() / 3) + 1;
  for (const std::string_view candidate : known) {
    const std::size_t distance = edit_distance(word, candidate);
    if (distance < best_distance) {
      best = candidate;
      best_distance = distance;
    }
  }
  return std::string(best);
}

std::string join(std::span<const std::string> parts, std::string_view between) {
  std::string out;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    out += (i == 0 ? "" : std::string(between)) + parts[i];
  }
  return out;
}

std::vector<std::string_view> split(std::string_view text, char at) {
  std::vector<std::string_view> parts;
  for (;;) {
    const std::size_t end = text.find(at);
    parts.push_back(text.substr(0, end));
    if (end == std::string_view::npos) {
      return parts;
    }
    text.remove_prefix(end + 1);
  }
}

std::string_view trim(std::string_view text) {
  constexpr std::string_view kSpace = " \t\r\n";
  const std::size_t first = text.find_first_not_of(kSpace);
  if (first == std::string_view::npos) {
    return {};
  }
  return text.substr(first, text.find_last_not_of(kSpace) - first + 1);
}

std::string lower(std::string_view ascii) {
  std::string out(ascii);
  for (char& c : out) {
    c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  }
  return out;
}

std::string valid_utf8(std::string_view bytes) {
  std::string out;
  out.reserve(bytes.size());
  while (!bytes.empty()) {
    const Rune rune = decode(bytes);
    out += rune.valid ? bytes.substr(0, rune.bytes) : std::string_view("\xEF\xBF\xBD");
    bytes.remove_prefix(rune.bytes);
  }
  return out;
}

bool has_control(std::string_view text) {
  while (!text.empty()) {
    const Rune rune = decode(text);
    const char32_t c = rune.code;
    if (c < 0x20 || (c >= 0x7F && c <= 0x9F) || (c >= 0x2028 && c <= 0x202E) ||
        (c >= 0x2066 && c <= 0x2069)) {
      return true;
    }
    text.remove_prefix(rune.bytes);
  }
  return false;
}

std::string without_trailing_zeros(std::string decimal) {
  decimal.erase(decimal.find_last_not_of('0') + 1);
  if (decimal.back() == '.') {
    decimal.pop_back();
  }
  return decimal;
}

}  // namespace steelyard::base
