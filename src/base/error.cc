#include "base/error.h"

#include <algorithm>

namespace steelyard::base {

std::string to_line(const Error& error) {
  std::string line;
  if (!error.where.empty()) {
    line += error.where + ": ";
  }
  line += error.what;
  if (!error.hint.empty()) {
    line += " (" + error.hint + ")";
  }
  std::replace_if(line.begin(), line.end(), [](char c) { return c == '\n' || c == '\r'; }, ' ');
  return line;
}

int exit_code(ErrorCode code) { return code == ErrorCode::kBadInput ? 2 : 3; }

}  // namespace steelyard::base
