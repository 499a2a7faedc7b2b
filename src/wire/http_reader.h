// HTTP/1.1 messages (RFC 9112) from bytes, on either side. Takes any split of the bytes: every
// split gives the same head and the same body. Keeps no clock and no socket.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace steelyard::wire {

using Fields = std::vector<std::pair<std::string, std::string>>;

// Whether it may be written into a head: a token of letters, digits, "-", "_" and "." (RFC 9110
// allows more, which nobody has), and a value without control characters.
[[nodiscard]] bool is_field(std::string_view name, std::string_view value);

struct HttpHead {
  // Response.
  int status = 0;
  std::string reason;
  // Request.
  std::string method;
  std::string target;

  int minor_version = 1;  // of HTTP/1.x
  Fields fields;          // names in lower case

  // The first field of that (lower-case) name; "" when there is none.
  [[nodiscard]] std::string_view field(std::string_view name) const;
  // Whether the connection may carry another message after this one.
  [[nodiscard]] bool keeps_alive() const;
};

class HttpReader {
 public:
  enum class Side : std::uint8_t { kRequests, kResponses };
  static constexpr std::size_t kLongestHead = 64U << 10U;

  explicit HttpReader(Side side) : side_(side) {}

  // Consumes bytes up to the end of the message at most and returns how many; `on_body` gets each
  // piece of the body, decoded. Interim answers (1xx) are passed over.
  template <typename OnBody>
  std::size_t feed(std::string_view bytes, OnBody&& on_body);

  // The peer closed. True when that ends the message rightly (a body without a stated length);
  // false when something is missing.
  bool finish();

  [[nodiscard]] bool head_complete() const { return state_ > State::kHead; }
  [[nodiscard]] bool done() const { return state_ == State::kDone; }
  // Not HTTP, or a head longer than kLongestHead: what is wrong, else "".
  [[nodiscard]] std::string_view error() const { return error_; }
  // Bytes of this message have come.
  [[nodiscard]] bool begun() const { return begun_; }
  [[nodiscard]] const HttpHead& head() const { return head_; }

  // Ready for the next message on the connection. Keeps its memory.
  void reset();

 private:
  enum class State : std::uint8_t {
    kHead,
    kLength,      // body of a stated length
    kUntilClose,  // response body that ends with the connection
    kChunkSize,
    kChunkData,
    kChunkEnd,
    kTrailer,
    kDone,
    kFailed,
  };

  // Each consumes a prefix of `bytes`.
  void take_head(std::string_view& bytes);
  void take_chunk_line(std::string_view& bytes);
  // The usual chunk, whole at the beginning of `bytes`: its data. Absent: it is another, and goes
  // line by line.
  std::optional<std::string_view> take_whole_chunk(std::string_view& bytes) const;
  std::string_view take_body(std::string_view& bytes);
  void parse_head();
  void begin_body();
  void fail(std::string_view why);
  // A line that `bytes` completes, joined to what was kept of it; nullopt when it has not ended.
  std::optional<std::string_view> line_of(std::string_view& bytes);

  Side side_;
  State state_ = State::kHead;
  bool begun_ = false;
  std::string head_text_;
  std::string line_;
  std::uint64_t remaining_ = 0;
  HttpHead head_;
  std::string_view error_;
};

template <typename OnBody>
std::size_t HttpReader::feed(std::string_view bytes, OnBody&& on_body) {
  const std::size_t given = bytes.size();
  while (!bytes.empty() && state_ != State::kDone && state_ != State::kFailed) {
    switch (state_) {
      case State::kHead:
        take_head(bytes);
        break;
      case State::kLength:
      case State::kUntilClose:
      case State::kChunkData:
        on_body(take_body(bytes));
        break;
      case State::kChunkSize:
        if (const auto data = take_whole_chunk(bytes)) {
          on_body(*data);
          break;
        }
        [[fallthrough]];
      default:
        take_chunk_line(bytes);
    }
  }
  return given - bytes.size();
}

}  // namespace steelyard::wire
