// Newline-delimited JSON, one text a line (Ollama's native streams): lines end in LF or CRLF, blank
// ones carry nothing. Takes any split of the bytes: every split gives the same lines.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace steelyard::wire {

class NdjsonSplitter {
 public:
  // A line beyond this is not a token stream but a runaway.
  static constexpr std::size_t kLongestLine = 64U << 20U;

  // Calls `on_line(std::string_view)` for each line completed by `bytes`, without its end. False
  // once a line is longer than kLongestLine; the rest is then ignored. A line that lies whole in
  // `bytes` is not copied; a view holds until the next call.
  template <typename OnLine>
  bool feed(std::string_view bytes, OnLine&& on_line);

  // At the end of the stream. A last line without LF is given too, and true says that there was
  // one: whether it is whole, its JSON tells.
  template <typename OnLine>
  bool finish(OnLine&& on_line);

  [[nodiscard]] bool overflowed() const { return overflowed_; }
  // Ready for another stream. Keeps its memory.
  void reset();

 private:
  // The next line that `bytes` completes, joined to what was kept of it before, "" where it is
  // blank; absent when there is none, and the rest has been kept.
  std::optional<std::string_view> next_line(std::string_view& bytes);

  std::string partial_;  // a line whose end has not come
  bool overflowed_ = false;
};

template <typename OnLine>
bool NdjsonSplitter::feed(std::string_view bytes, OnLine&& on_line) {
  while (!overflowed_) {
    const auto line = next_line(bytes);
    if (!line) {
      break;
    }
    if (!line->empty()) {
      on_line(*line);
    }
    partial_.clear();  // `line` may have been a view of it
  }
  return !overflowed_;
}

template <typename OnLine>
bool NdjsonSplitter::finish(OnLine&& on_line) {
  bool unended = false;
  if (!overflowed_ && !partial_.empty()) {
    feed("\n", [&](std::string_view line) {
      unended = true;
      on_line(line);
    });
  }
  return unended;
}

}  // namespace steelyard::wire
