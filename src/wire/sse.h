// Server-sent events, after the WHATWG HTML standard, section 9.2.6 (event stream interpretation):
// lines end in CR, LF or CRLF; a leading BOM is dropped; one space after the colon is dropped; data
// lines are joined with LF; comments and unknown fields are ignored; an event without data is none.
// Takes any split of the bytes: every split gives the same events.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace steelyard::wire {

// Views hold until the parser is called again.
struct SseEvent {
  std::string_view type;  // empty when the stream named none ("message" in the standard)
  std::string_view data;
};

class SseParser {
 public:
  // A line, or one event's data, beyond this is not a token stream but a runaway.
  static constexpr std::size_t kLongestEvent = 64U << 20U;

  // Calls `on_event(const SseEvent&)` for each event completed by `bytes`. False once an event is
  // longer than kLongestEvent; the rest is then ignored. Allocates only for an event longer than
  // any before it.
  template <typename OnEvent>
  bool feed(std::string_view bytes, OnEvent&& on_event);

  // At the end of the stream. The standard discards an event that no blank line ended; servers do
  // end streams so, and its text was delivered, so it is given, and true says that it was cut
  // short.
  template <typename OnEvent>
  bool finish(OnEvent&& on_event);

  [[nodiscard]] bool overflowed() const { return overflowed_; }
  // Ready for another stream. Keeps its memory.
  void reset();

 private:
  // The usual event, one line of data and a blank one, whole at the beginning of `bytes`: its data,
  // where it stands. Absent: it is another, and goes the long way.
  std::optional<std::string_view> take_whole_event(std::string_view& bytes);
  // True when the line was blank and an event is ready in `data_` and `type_`.
  bool take_line(std::string_view line);
  void take_field(std::string_view name, std::string_view value);
  // The next line that `bytes` completes, joined to what was kept of it before; false when there is
  // none, and the rest has been kept.
  bool next_line(std::string_view& bytes, std::string_view& line);
  void skip_bom(std::string_view& bytes);

  template <typename OnEvent>
  void dispatch(OnEvent& on_event) {
    const std::string_view data(data_);
    on_event(SseEvent{type_, data.substr(0, data.size() - 1)});  // the last data line's LF
    data_.clear();
    type_.clear();
  }

  std::string partial_;  // a line whose end has not come
  std::string data_;
  std::string type_;
  std::uint8_t bom_seen_ = 0;       // bytes of a BOM matched so far
  bool at_start_ = true;            // a BOM may still come
  bool swallow_line_feed_ = false;  // the last line ended in CR: a LF now belongs to it
  bool overflowed_ = false;
};

template <typename OnEvent>
bool SseParser::feed(std::string_view bytes, OnEvent&& on_event) {
  skip_bom(bytes);
  std::string_view line;
  while (!bytes.empty() && !overflowed_) {
    if (const auto data = take_whole_event(bytes)) {
      on_event(SseEvent{{}, *data});
      continue;
    }
    if (!next_line(bytes, line)) {
      break;
    }
    const bool ready = take_line(line);
    partial_.clear();  // `line` may have been a view of it
    if (ready) {
      dispatch(on_event);
    }
  }
  return !overflowed_;
}

template <typename OnEvent>
bool SseParser::finish(OnEvent&& on_event) {
  if (!partial_.empty()) {
    take_line(partial_);
    partial_.clear();
  }
  if (overflowed_ || !take_line("")) {
    return false;
  }
  dispatch(on_event);
  return true;
}

}  // namespace steelyard::wire
