// The client's side of an HTTP/2 connection (RFC 9113) over bytes, not sockets: nghttp2 reads and
// writes the frames, this carries requests and answers. Takes any split of the bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "wire/http_reader.h"

using nghttp2_session = struct nghttp2_session;

namespace steelyard::wire {

// One request and its answer. Outlives its request, or is cancelled.
class Http2Stream {
 public:
  virtual ~Http2Stream() = default;
  // Called from within the session, none of whose functions may be called then.
  virtual void on_answer() = 0;  // bytes of the answer came; before what they hold
  virtual void on_piece(std::string_view body) = 0;
  virtual void on_reset() = 0;

  HttpHead head;
  bool begun = false;
  bool head_complete = false;
  bool done = false;
  // The error code with which it was ended before it was done (RFC 9113, section 7).
  std::optional<std::uint32_t> reset;

 private:
  friend class Http2Session;
  std::int32_t id_ = 0;      // 0: none is out
  std::string_view unsent_;  // of the request's body
};

class Http2Session {
 public:
  explicit Http2Session(bool tls);
  ~Http2Session();
  Http2Session(const Http2Session&) = delete;
  Http2Session& operator=(const Http2Session&) = delete;

  // Takes what the peer sent. An error says what it did wrong; nothing more is to be taken then.
  [[nodiscard]] base::Status take(std::string_view bytes);
  // What is to be sent now, valid until the next call. To be asked for after every other call.
  [[nodiscard]] std::string_view output();

  // A whole HTTP/1.1 message, which stays in place until the stream has ended; a body has a
  // Content-Length.
  void request(std::string_view message, Http2Stream& stream);
  // RST_STREAM, where it is out; nothing more is called for it.
  void cancel(Http2Stream& stream);

  // The peer's settings have come: it does speak HTTP/2.
  [[nodiscard]] bool ready() const { return ready_; }
  // No new streams: the peer goes away (GOAWAY), or has given out all their numbers.
  [[nodiscard]] bool leaving() const;
  // Nothing more will be sent or taken; `why_over` is empty where the peer only went away.
  [[nodiscard]] bool over() const;
  [[nodiscard]] std::string why_over() const;
  // How many streams the peer allows at once.
  [[nodiscard]] std::uint32_t most_streams() const;
  [[nodiscard]] std::uint32_t out() const { return out_; }

 private:
  struct Callbacks;
  nghttp2_session* session_ = nullptr;
  bool tls_;
  bool ready_ = false;
  bool leaving_ = false;
  std::uint32_t out_ = 0;
  std::string output_;
  std::string failure_;                              // of the peer, in nghttp2's words
  HttpReader message_{HttpReader::Side::kRequests};  // the request at hand
};

// The name of an error code, "INTERNAL_ERROR" for example.
[[nodiscard]] std::string http2_error_name(std::uint32_t code);
// The peer did not touch a request that ended so (RFC 9113, section 8.7).
[[nodiscard]] bool http2_untaken(std::uint32_t code);

}  // namespace steelyard::wire
