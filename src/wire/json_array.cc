#include "wire/json_array.h"

namespace steelyard::wire {
namespace {

bool is_space(char c) { return c == ' ' || c == '\n' || c == '\r' || c == '\t'; }

}  // namespace

void JsonArraySplitter::reset() {
  state_ = State::kBefore;
  depth_ = 0;
  in_string_ = false;
  escaped_ = false;
  partial_.clear();
}

void JsonArraySplitter::between(char c) {
  const bool opens = state_ == State::kBefore && c == '[';
  const bool closes = state_ == State::kBetween && c == ']';
  if (opens || closes) {
    state_ = opens ? State::kBetween : State::kAfter;
  } else if (!is_space(c) && !(state_ == State::kBetween && c == ',')) {
    state_ = State::kBroken;
  }
}

std::size_t JsonArraySplitter::length_inside(std::string_view bytes) {
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    const char c = bytes[i];
    if (in_string_) {
      in_string_ = escaped_ || c != '"';
      escaped_ = !escaped_ && c == '\\';
    } else if (c == '"') {
      in_string_ = true;
    } else if (c == '{' || c == '[') {
      ++depth_;
    } else if ((c == '}' || c == ']') && --depth_ == 0) {
      return i + 1;
    }
  }
  return bytes.size();
}

bool JsonArraySplitter::take(std::string_view& bytes) {
  if (state_ != State::kInside) {
    if (state_ != State::kBetween || bytes.front() != '{') {
      between(bytes.front());
      bytes.remove_prefix(1);
      return false;
    }
    state_ = State::kInside;
  }
  const std::size_t length = length_inside(bytes);
  partial_.append(bytes.substr(0, length));
  bytes.remove_prefix(length);
  if (overflowed()) {
    state_ = State::kBroken;
    return false;
  }
  if (depth_ > 0) {
    return false;
  }
  state_ = State::kBetween;
  return true;
}

}  // namespace steelyard::wire
