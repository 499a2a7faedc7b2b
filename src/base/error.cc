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
  // A server's words may stand in it: they shall not move the reader's cursor.
  std::ranges::replace_if(line, [](unsigned char c) { return c < 0x20 || c == 0x7F; }, ' ');
  return line;
}

int exit_code(ErrorCode code) { return code == ErrorCode::kBadInput ? 2 : 3; }

}  // namespace steelyard::base
