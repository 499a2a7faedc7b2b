// A JSON array of objects that is still being written (Google's generateContent streams without
// alt=sse): each object as soon as its last bracket has come. Takes any split of the bytes: every
// split gives the same objects.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace steelyard::wire {

class JsonArraySplitter {
 public:
  // An element beyond this is not a token stream but a runaway.
  static constexpr std::size_t kLongestElement = 64U << 20U;

  // Calls `on_element(std::string_view)` for each object completed by `bytes`; a view holds until
  // the next call. What is within an object is not checked. False once what comes is no array of
  // objects, or one is longer than kLongestElement; the rest is then ignored.
  template <typename OnElement>
  bool feed(std::string_view bytes, OnElement&& on_element);

  // The stream has ended. False when the array's own bracket has not come.
  [[nodiscard]] bool finish() const { return state_ == State::kAfter; }
  // The beginning of an object whose end has not come; "" between two.
  [[nodiscard]] std::string_view rest() const { return partial_; }
  [[nodiscard]] bool overflowed() const { return partial_.size() > kLongestElement; }
  // Ready for another stream. Keeps its memory.
  void reset();

 private:
  enum class State : std::uint8_t { kBefore, kBetween, kInside, kAfter, kBroken };

  // Takes what completes an element, or all there is, off `bytes`. True: partial_ is an element.
  bool take(std::string_view& bytes);
  void between(char c);
  // The length of the part of `bytes` that belongs to the element.
  std::size_t length_inside(std::string_view bytes);

  State state_ = State::kBefore;
  std::size_t depth_ = 0;
  bool in_string_ = false;
  bool escaped_ = false;
  std::string partial_;
};

template <typename OnElement>
bool JsonArraySplitter::feed(std::string_view bytes, OnElement&& on_element) {
  while (!bytes.empty() && state_ != State::kBroken) {
    if (take(bytes)) {
      on_element(std::string_view(partial_));
      partial_.clear();
    }
  }
  return state_ != State::kBroken;
}

}  // namespace steelyard::wire
