// What stands in tests/golden; UPDATE_GOLDEN=1 writes it anew, for a person to read the difference.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "base/file.h"
#include "base/text.h"

namespace steelyard::report {

inline std::string golden(const std::string& name, const std::string& now) {
  const std::string path = fmt::format("{}/tests/golden/{}", STEELYARD_SOURCE_DIR, name);
  if (std::getenv("UPDATE_GOLDEN") != nullptr) {
    EXPECT_TRUE(base::write_file(path, now));
  }
  return base::read_file(path).value_or("no " + path);
}

inline std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  for (const std::string_view line : base::split(text, '\n')) {
    lines.emplace_back(line);
  }
  return lines;
}

// Says the first line that differs, and no more.
inline void expect_golden(const std::string& name, const std::string& now) {
  const std::vector<std::string> lines = lines_of(now);
  const std::vector<std::string> before = lines_of(golden(name, now));
  const auto [line, was] = std::ranges::mismatch(lines, before);
  EXPECT_TRUE(line == lines.end() && was == before.end())
      << name << ":" << line - lines.begin() + 1 << "\n"
      << (line == lines.end() ? "(its end)" : *line) << "\n"
      << (was == before.end() ? "(its end)" : *was);
}

// Equal but for the last digits of a number: a compiler may add in another order.
inline void expect_alike(const nlohmann::json& now, const nlohmann::json& was,
                         const std::string& where) {
  if (now.is_number() && was.is_number()) {
    const double size = std::max(std::abs(was.get<double>()), 1e-300);
    EXPECT_NEAR(now.get<double>(), was.get<double>(), 1e-9 * size) << where;
    return;
  }
  if (!now.is_structured() || now.type() != was.type() || now.size() != was.size()) {
    EXPECT_EQ(now, was) << where;
    return;
  }
  for (const auto& [key, value] : now.items()) {
    const std::string at = where + "/" + key;
    if (now.is_object()) {
      ASSERT_TRUE(was.contains(key)) << at;
      expect_alike(value, was.at(key), at);
    } else {
      expect_alike(value, was.at(std::stoul(key)), at);
    }
  }
}

}  // namespace steelyard::report
