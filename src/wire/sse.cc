#include "wire/sse.h"

#include <algorithm>
#include <array>

namespace steelyard::wire {
namespace {

constexpr std::array<char, 3> kBom = {'\xEF', '\xBB', '\xBF'};

// Where the first CR or LF stands. In windows, so that a text of many CRs and no LF is not searched
// for the LF again and again.
std::size_t line_end(std::string_view bytes) {
  constexpr std::size_t kWindow = 1'024;
  for (std::size_t from = 0; from < bytes.size(); from += kWindow) {
    const std::string_view window = bytes.substr(from, kWindow);
    const std::size_t line_feed = window.find('\n');
    const std::size_t carriage_return = window.substr(0, line_feed).find('\r');
    const std::size_t end = std::min(line_feed, carriage_return);
    if (end != std::string_view::npos) {
      return from + end;
    }
  }
  return std::string_view::npos;
}

}  // namespace

void SseParser::reset() {
  partial_.clear();
  data_.clear();
  type_.clear();
  bom_seen_ = 0;
  at_start_ = true;
  swallow_line_feed_ = false;
  overflowed_ = false;
}

std::optional<std::string_view> SseParser::take_whole_event(std::string_view& bytes) {
  constexpr std::string_view kName = "data:";
  const bool between_events =
      partial_.empty() && data_.empty() && type_.empty() && !swallow_line_feed_;
  if (!between_events || !bytes.starts_with(kName)) {
    return std::nullopt;
  }
  const std::size_t end = line_end(bytes);
  if (end == std::string_view::npos || !bytes.substr(end).starts_with("\n\n")) {
    return std::nullopt;
  }
  std::string_view data = bytes.substr(kName.size(), end - kName.size());
  if (data.starts_with(' ')) {
    data.remove_prefix(1);
  }
  if (data.empty()) {
    return std::nullopt;
  }
  bytes.remove_prefix(end + 2);
  return data;
}

// The BOM may come one byte at a time; what turned out to be none is the beginning of a line.
void SseParser::skip_bom(std::string_view& bytes) {
  while (at_start_ && !bytes.empty()) {
    if (bytes.front() == kBom[bom_seen_]) {
      bytes.remove_prefix(1);
      at_start_ = ++bom_seen_ < kBom.size();
      continue;
    }
    partial_.assign(kBom.data(), bom_seen_);
    at_start_ = false;
  }
}

bool SseParser::next_line(std::string_view& bytes, std::string_view& line) {
  if (swallow_line_feed_ && !bytes.empty()) {
    if (bytes.front() == '\n') {
      bytes.remove_prefix(1);
    }
    swallow_line_feed_ = false;
  }
  const std::size_t end = line_end(bytes);
  if (end == std::string_view::npos) {
    partial_.append(bytes);
    bytes = {};
    overflowed_ = partial_.size() > kLongestEvent;
    return false;
  }
  line = bytes.substr(0, end);
  swallow_line_feed_ = bytes[end] == '\r';
  bytes.remove_prefix(end + 1);
  if (!partial_.empty()) {
    partial_.append(line);
    line = partial_;
  }
  return true;
}

bool SseParser::take_line(std::string_view line) {
  if (line.empty()) {
    // Data that is empty, "data:" alone, is a LF here: the standard dispatches an empty message,
    // which carries nothing; it is dropped with the type that stood beside it.
    if (data_.size() > 1) {
      return true;
    }
    data_.clear();
    type_.clear();
    return false;
  }
  const std::size_t colon = line.find(':');
  if (colon == 0) {
    return false;  // a comment, such as ": keep-alive"
  }
  std::string_view value = colon == std::string_view::npos ? "" : line.substr(colon + 1);
  if (!value.empty() && value.front() == ' ') {
    value.remove_prefix(1);
  }
  take_field(line.substr(0, colon), value);
  return false;
}

// `id` and `retry` steer reconnection, which a measurement never does.
void SseParser::take_field(std::string_view name, std::string_view value) {
  if (name == "data") {
    overflowed_ = overflowed_ || data_.size() + value.size() > kLongestEvent;
    data_.append(value);
    data_.push_back('\n');
  } else if (name == "event") {
    type_.assign(value);
  }
}

}  // namespace steelyard::wire
