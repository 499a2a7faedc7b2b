#include "base/encoding.h"

#include <array>
#include <cstdint>

namespace steelyard::base {
namespace {

constexpr std::string_view kBase64 =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
constexpr std::string_view kBase64Url =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
constexpr std::string_view kUpper = "0123456789ABCDEF";
constexpr std::string_view kLower = "0123456789abcdef";

unsigned byte_at(std::string_view bytes, std::size_t at) {
  return at < bytes.size() ? static_cast<unsigned char>(bytes[at]) : 0U;
}

// Without padding.
std::string in_sixes(std::string_view bytes, std::string_view letters) {
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t at = 0; at < bytes.size(); at += 3) {
    const unsigned three =
        byte_at(bytes, at) << 16U | byte_at(bytes, at + 1) << 8U | byte_at(bytes, at + 2);
    const std::size_t digits = bytes.size() - at < 3 ? bytes.size() - at + 1 : 4;
    for (std::size_t i = 0; i < digits; ++i) {
      text += letters[three >> 6U * (3 - i) & 0x3FU];
    }
  }
  return text;
}

constexpr std::array<bool, 256> unreserved_bytes() {
  std::array<bool, 256> plain{};
  for (const char c : kBase64Url) {
    plain[static_cast<unsigned char>(c)] = true;
  }
  plain['.'] = true;
  plain['~'] = true;
  return plain;
}

// The six bits of a letter of kBase64; -1 for what is none.
constexpr std::array<std::int8_t, 256> base64_values() {
  std::array<std::int8_t, 256> values{};
  values.fill(-1);
  for (std::size_t i = 0; i < kBase64.size(); ++i) {
    values[static_cast<unsigned char>(kBase64[i])] = static_cast<std::int8_t>(i);
  }
  return values;
}
constexpr std::array<std::int8_t, 256> kSixes = base64_values();

// -1 for what is no hexadecimal digit.
int digit(char c) {
  if (c >= '0' && c <= '9') {
    return c - '0';
  }
  const char low = static_cast<char>(c | 0x20);
  return low >= 'a' && low <= 'f' ? low - 'a' + 10 : -1;
}

}  // namespace

std::string hex(std::string_view bytes) {
  std::string text;
  text.reserve(2 * bytes.size());
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    text += kLower[byte >> 4U];
    text += kLower[byte & 0xFU];
  }
  return text;
}

std::string base64(std::string_view bytes) {
  std::string text = in_sixes(bytes, kBase64);
  text.append((4 - text.size() % 4) % 4, '=');
  return text;
}

std::string base64url(std::string_view bytes) { return in_sixes(bytes, kBase64Url); }

std::optional<std::string> from_base64(std::string_view text) {
  std::string bytes;
  return from_base64(text, bytes) ? std::optional(std::move(bytes)) : std::nullopt;
}

bool from_base64(std::string_view text, std::string& bytes) {
  bytes.clear();
  if (text.size() % 4 != 0) {
    return false;
  }
  const std::size_t padding = text.ends_with("==") ? 2 : (text.ends_with('=') ? 1 : 0);
  text.remove_suffix(padding);
  bytes.reserve(text.size() / 4 * 3 + 2);
  std::uint32_t held = 0;
  unsigned bits = 0;
  for (const char c : text) {
    const int value = kSixes[static_cast<unsigned char>(c)];
    if (value < 0) {
      return false;
    }
    held = (held << 6U | static_cast<std::uint32_t>(value)) & 0xFFFFU;
    bits += 6;
    if (bits >= 8) {
      bits -= 8;
      bytes += static_cast<char>(held >> bits & 0xFFU);
    }
  }
  return true;
}

std::string percent_encode(std::string_view bytes, std::string_view kept) {
  static constexpr std::array<bool, 256> kPlain = unreserved_bytes();
  std::string text;
  text.reserve(bytes.size() + bytes.size() / 8);
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    if (kPlain[byte] || kept.find(c) != std::string_view::npos) {
      text += c;
    } else {
      text += '%';
      text += kUpper[byte >> 4U];
      text += kUpper[byte & 0xFU];
    }
  }
  return text;
}

std::string percent_decode(std::string_view text) {
  std::string bytes;
  bytes.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    const int high = text[i] == '%' && i + 2 < text.size() ? digit(text[i + 1]) : -1;
    const int low = high >= 0 ? digit(text[i + 2]) : -1;
    if (low >= 0) {
      bytes += static_cast<char>(high * 16 + low);
      i += 2;
    } else {
      bytes += text[i];
    }
  }
  return bytes;
}

}  // namespace steelyard::base
