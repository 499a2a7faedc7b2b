#include "wire/ndjson.h"

namespace steelyard::wire {

void NdjsonSplitter::reset() {
  partial_.clear();
  overflowed_ = false;
}

std::optional<std::string_view> NdjsonSplitter::next_line(std::string_view& bytes) {
  const std::size_t end = bytes.find('\n');
  const std::string_view more = bytes.substr(0, end);
  if (partial_.size() + more.size() > kLongestLine) {
    overflowed_ = true;
    return std::nullopt;
  }
  if (end == std::string_view::npos) {
    partial_.append(more);
    return std::nullopt;
  }
  bytes.remove_prefix(end + 1);
  std::string_view line = more;
  if (!partial_.empty()) {
    line = partial_.append(more);
  }
  if (line.ends_with('\r')) {
    line.remove_suffix(1);
  }
  return line.find_first_not_of(" \t\r") == std::string_view::npos ? std::string_view() : line;
}

}  // namespace steelyard::wire
