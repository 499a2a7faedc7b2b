#pragma once

#include <cstdint>
#include <string>

#include "base/error.h"
#include "study/sla_gate.h"

namespace steelyard::report {

enum class Language : std::uint8_t { kEnglish, kChinese };

// "en" or "zh".
[[nodiscard]] inline base::Result<Language> parse_language(const std::string& where,
                                                           const std::string& text) {
  if (text == "en" || text == "zh") {
    return text == "en" ? Language::kEnglish : Language::kChinese;
  }
  return base::bad_input(where, "'" + text + "' is not known", "en or zh");
}

[[nodiscard]] inline const std::string& in(const study::Reason& reason, Language language) {
  return language == Language::kEnglish ? reason.text_en : reason.text_zh;
}

}  // namespace steelyard::report
