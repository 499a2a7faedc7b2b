#include "wire/http2_session.h"

#include <fmt/format.h>
#include <nghttp2/nghttp2.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>

#include "base/check.h"

namespace steelyard::wire {
namespace {

// No stream ever waits for room: an answer is a few MiB at most, and a pause would be measured.
constexpr std::uint32_t kStreamWindow = 16U << 20U;
constexpr std::int32_t kConnectionWindow = 1 << 30;
constexpr int kFinalStatus = 200;

std::string_view text_of(const std::uint8_t* bytes, std::size_t size) {
  return {reinterpret_cast<const char*>(bytes), size};
}

nghttp2_nv pair_of(std::string_view name, std::string_view value) {
  // Neither is written to: nghttp2 copies both.
  const auto bytes = [](std::string_view text) {
    return reinterpret_cast<std::uint8_t*>(const_cast<char*>(text.data()));
  };
  return {bytes(name), bytes(value), name.size(), value.size(), NGHTTP2_NV_FLAG_NONE};
}

// Those of a connection of HTTP/1.1 (RFC 9113, section 8.2.2).
bool is_of_connection(std::string_view name) {
  return std::ranges::any_of(
      std::array{"connection", "proxy-connection", "keep-alive", "transfer-encoding", "upgrade"},
      [&](std::string_view one) { return name == one; });
}

}  // namespace

struct Http2Session::Callbacks {
  static Http2Session& session_of(void* user) { return *static_cast<Http2Session*>(user); }

  static Http2Stream* stream_of(nghttp2_session* session, std::int32_t id) {
    return static_cast<Http2Stream*>(nghttp2_session_get_stream_user_data(session, id));
  }

  // Interim answers (1xx) give way to the next head; what follows a final one is the trailer.
  static int on_begin_headers(nghttp2_session* session, const nghttp2_frame* frame, void*) {
    Http2Stream* stream = stream_of(session, frame->hd.stream_id);
    if (stream != nullptr) {
      stream->begun = true;
      stream->on_answer();
      if (!stream->head_complete) {
        stream->head = HttpHead{};
      }
    }
    return 0;
  }

  static int on_header(nghttp2_session* session, const nghttp2_frame* frame,
                       const std::uint8_t* name, std::size_t name_size, const std::uint8_t* value,
                       std::size_t value_size, std::uint8_t, void*) {
    Http2Stream* stream = stream_of(session, frame->hd.stream_id);
    if (stream == nullptr || stream->head_complete) {
      return 0;
    }
    const std::string_view key = text_of(name, name_size);
    const std::string_view text = text_of(value, value_size);
    if (key == ":status") {
      std::from_chars(text.data(), text.data() + text.size(), stream->head.status);
    } else {
      stream->head.fields.emplace_back(key, text);
    }
    return 0;
  }

  static int on_data(nghttp2_session* session, std::uint8_t, std::int32_t id,
                     const std::uint8_t* bytes, std::size_t size, void*) {
    Http2Stream* stream = stream_of(session, id);
    if (stream != nullptr) {
      stream->on_answer();
      stream->on_piece(text_of(bytes, size));
    }
    return 0;
  }

  static int on_frame(nghttp2_session* session, const nghttp2_frame* frame, void* user) {
    Http2Session& self = session_of(user);
    if (frame->hd.type == NGHTTP2_SETTINGS) {
      self.ready_ = true;
    } else if (frame->hd.type == NGHTTP2_GOAWAY) {
      self.leaving_ = true;
    }
    Http2Stream* stream =
        frame->hd.stream_id == 0 ? nullptr : stream_of(session, frame->hd.stream_id);
    const bool message = frame->hd.type == NGHTTP2_HEADERS || frame->hd.type == NGHTTP2_DATA;
    if (stream == nullptr || !message) {
      return 0;
    }
    stream->head_complete = stream->head_complete || stream->head.status >= kFinalStatus;
    if ((frame->hd.flags & NGHTTP2_FLAG_END_STREAM) != 0) {
      stream->done = true;
      stream->on_answer();
    }
    return 0;
  }

  static int on_close(nghttp2_session* session, std::int32_t id, std::uint32_t code, void* user) {
    const bool ours = id % 2 == 1;  // a server may push until it has read our settings
    session_of(user).out_ -= ours ? 1 : 0;
    Http2Stream* stream = stream_of(session, id);
    if (stream != nullptr) {
      stream->id_ = 0;
      stream->unsent_ = {};
      if (!stream->done) {
        stream->reset = code;
        stream->on_reset();
      }
    }
    return 0;
  }

  static int on_error(nghttp2_session*, int, const char* words, std::size_t size, void* user) {
    session_of(user).failure_.assign(words, size);
    return 0;
  }

  static ssize_t read_body(nghttp2_session*, std::int32_t, std::uint8_t* into, std::size_t size,
                           std::uint32_t* flags, nghttp2_data_source* source, void*) {
    std::string_view& unsent = static_cast<Http2Stream*>(source->ptr)->unsent_;
    const std::size_t some = std::min(size, unsent.size());
    std::memcpy(into, unsent.data(), some);
    unsent.remove_prefix(some);
    if (unsent.empty()) {
      *flags |= NGHTTP2_DATA_FLAG_EOF;
    }
    return static_cast<ssize_t>(some);
  }

  static nghttp2_session_callbacks* make() {
    nghttp2_session_callbacks* all = nullptr;
    STEELYARD_CHECK(nghttp2_session_callbacks_new(&all) == 0, "out of memory");
    nghttp2_session_callbacks_set_on_begin_headers_callback(all, on_begin_headers);
    nghttp2_session_callbacks_set_on_header_callback(all, on_header);
    nghttp2_session_callbacks_set_on_data_chunk_recv_callback(all, on_data);
    nghttp2_session_callbacks_set_on_frame_recv_callback(all, on_frame);
    nghttp2_session_callbacks_set_on_stream_close_callback(all, on_close);
    nghttp2_session_callbacks_set_error_callback2(all, on_error);
    return all;
  }
};

Http2Session::Http2Session(bool tls) : tls_(tls) {
  nghttp2_session_callbacks* callbacks = Callbacks::make();
  const int made = nghttp2_session_client_new(&session_, callbacks, this);
  nghttp2_session_callbacks_del(callbacks);
  STEELYARD_CHECK(made == 0, "out of memory");
  const std::array settings{
      nghttp2_settings_entry{NGHTTP2_SETTINGS_ENABLE_PUSH, 0},
      nghttp2_settings_entry{NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE, kStreamWindow},
  };
  nghttp2_submit_settings(session_, NGHTTP2_FLAG_NONE, settings.data(), settings.size());
  nghttp2_session_set_local_window_size(session_, NGHTTP2_FLAG_NONE, 0, kConnectionWindow);
}

Http2Session::~Http2Session() { nghttp2_session_del(session_); }

base::Status Http2Session::take(std::string_view bytes) {
  const ssize_t taken = nghttp2_session_mem_recv(
      session_, reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size());
  if (taken < 0) {
    failure_ = failure_.empty() ? nghttp2_strerror(static_cast<int>(taken)) : failure_;
    return base::environment_error("", why_over());
  }
  return {};
}

std::string Http2Session::why_over() const {
  if (!ready_) {
    return "what the server answers is no HTTP/2";
  }
  return leaving_ || failure_.empty() ? "" : "HTTP/2: " + failure_;
}

std::string_view Http2Session::output() {
  output_.clear();
  const std::uint8_t* bytes = nullptr;
  ssize_t size = 0;
  while ((size = nghttp2_session_mem_send(session_, &bytes)) > 0) {
    output_ += text_of(bytes, static_cast<std::size_t>(size));
  }
  return output_;
}

void Http2Session::request(std::string_view message, Http2Stream& stream) {
  std::string_view content;
  message_.reset();
  message_.feed(message, [&](std::string_view body) { content = body; });
  const HttpHead& head = message_.head();
  std::vector<nghttp2_nv> pairs{
      pair_of(":method", head.method), pair_of(":scheme", tls_ ? "https" : "http"),
      pair_of(":authority", head.field("host")), pair_of(":path", head.target)};
  for (const auto& [name, value] : head.fields) {
    if (name != "host" && !is_of_connection(name)) {
      pairs.push_back(pair_of(name, value));
    }
  }
  stream.head = HttpHead{};
  stream.begun = stream.head_complete = stream.done = false;
  stream.reset.reset();
  stream.unsent_ = content;
  nghttp2_data_provider body{};
  body.source.ptr = &stream;
  body.read_callback = Callbacks::read_body;
  stream.id_ = nghttp2_submit_request(session_, nullptr, pairs.data(), pairs.size(),
                                      content.empty() ? nullptr : &body, &stream);
  STEELYARD_CHECK(stream.id_ > 0, "HTTP/2: no stream is left");
  ++out_;
}

void Http2Session::cancel(Http2Stream& stream) {
  if (stream.id_ == 0) {
    return;
  }
  nghttp2_session_set_stream_user_data(session_, stream.id_, nullptr);
  nghttp2_submit_rst_stream(session_, NGHTTP2_FLAG_NONE, stream.id_, NGHTTP2_CANCEL);
  stream.id_ = 0;
  stream.unsent_ = {};
}

bool Http2Session::over() const {
  return nghttp2_session_want_read(session_) == 0 && nghttp2_session_want_write(session_) == 0;
}

bool Http2Session::leaving() const {
  constexpr std::uint32_t kLastNumber = 0x7FFFFFFF;
  return leaving_ || nghttp2_session_get_next_stream_id(session_) > kLastNumber;
}

std::uint32_t Http2Session::most_streams() const {
  return nghttp2_session_get_remote_settings(session_, NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS);
}

std::string http2_error_name(std::uint32_t code) { return nghttp2_http2_strerror(code); }

bool http2_untaken(std::uint32_t code) { return code == NGHTTP2_REFUSED_STREAM; }

}  // namespace steelyard::wire
