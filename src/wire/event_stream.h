// AWS event streams (`application/vnd.amazon.eventstream`): what SageMaker and Bedrock stream in.
// A message is, big-endian: u32 its whole length | u32 length of the headers | u32 CRC-32 of these
// eight bytes | headers | payload | u32 CRC-32 of all before it. A header is: u8 length of the
// name, name, u8 type, value. Source: smithy.io, "Amazon Event Stream" specification, 2.0. Takes
// any split of the bytes: every split gives the same messages. Keeps no clock and no socket.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace steelyard::wire {

// Views hold until the reader is called again.
struct EventStreamHeader {
  enum class Type : std::uint8_t {  // the numbers of the wire
    kTrue = 0,
    kFalse = 1,
    kByte = 2,
    kInt16 = 3,
    kInt32 = 4,
    kInt64 = 5,
    kBytes = 6,
    kString = 7,
    kTimestamp = 8,  // milliseconds since 1970
    kUuid = 9,
  };
  std::string_view name;
  Type type = Type::kString;
  std::string_view value;  // as on the wire, of bytes and strings without their length

  // Of a byte, a whole number or a timestamp; absent for the others.
  [[nodiscard]] std::optional<std::int64_t> number() const;
};

struct EventStreamMessage {
  std::string_view headers;  // as on the wire, found to be well formed
  std::string_view payload;

  // The first of that name: ":message-type" ("event", "exception", "error"), ":event-type",
  // ":exception-type", ":error-code", ":error-message", ":content-type".
  [[nodiscard]] std::optional<EventStreamHeader> find(std::string_view name) const;
  // The same of a string; "" where there is none.
  [[nodiscard]] std::string_view text(std::string_view name) const;
};

// Takes the first header off `headers`. Absent when they are empty or not well formed.
[[nodiscard]] std::optional<EventStreamHeader> take_header(std::string_view& headers);

class EventStreamReader {
 public:
  static constexpr std::size_t kLongestHeaders = 128U << 10U;
  static constexpr std::size_t kLongestPayload = 24U << 20U;

  // Calls `on_message(const EventStreamMessage&)` for each message completed by `bytes`. False once
  // the stream is broken: `error` says how, and the rest is ignored. A message that lies whole in
  // `bytes` is not copied.
  template <typename OnMessage>
  bool feed(std::string_view bytes, OnMessage&& on_message);

  // The stream has ended. False when it was broken, or ended within a message.
  bool finish();

  // "message 3 of the event stream: ..."; "" while nothing is wrong.
  [[nodiscard]] const std::string& error() const { return error_; }
  // Ready for another stream. Keeps its memory.
  void reset();

 private:
  // The next message that `bytes` completes; false when there is none, and the rest has been kept.
  bool next_message(std::string_view& bytes, EventStreamMessage& message);
  // Moves bytes to what is kept until that has `size`.
  bool keep(std::string_view& bytes, std::size_t size);
  // Of the message that begins with these twelve bytes; 0 when they are wrong.
  std::size_t frame_size(std::string_view prelude);
  bool parse(std::string_view frame, EventStreamMessage& message);
  bool fail(std::string_view why);

  std::string partial_;  // a message whose end has not come
  std::int64_t whole_ = 0;
  std::string error_;
};

// Appends a message to `into`. Names of 1 to 255 bytes, values and payload within the format's
// bounds.
void append_event_stream_message(std::span<const EventStreamHeader> headers,
                                 std::string_view payload, std::string& into);

template <typename OnMessage>
bool EventStreamReader::feed(std::string_view bytes, OnMessage&& on_message) {
  EventStreamMessage message;
  while (error_.empty() && next_message(bytes, message)) {
    on_message(static_cast<const EventStreamMessage&>(message));
    partial_.clear();  // `message` may have been a view of it
  }
  return error_.empty();
}

}  // namespace steelyard::wire
