#include "emulate/session.h"

#include <fmt/format.h>

#include <cctype>

#include "emulate/http_text.h"
#include "emulate/openai_voice.h"

namespace steelyard::emulate {
namespace {

constexpr std::size_t kLongestBody = 64U << 20U;

}  // namespace

Session::Session(std::shared_ptr<wire::Connection> connection, std::string extra_fields,
                 OnRequest on_request, OnClosed on_closed)
    : connection_(std::move(connection)),
      extra_fields_(std::move(extra_fields)),
      on_request_(std::move(on_request)),
      on_closed_(std::move(on_closed)) {}

void Session::on_bytes(std::string_view bytes, wire::ReadStamp stamp) {
  received_ = stamp.kernel;
  waiting_ += bytes;
  take_waiting();
}

// A loop and no recursion: a client may send any number of requests ahead.
void Session::take_waiting() {
  if (taking_) {
    return;
  }
  const auto self = shared_from_this();
  taking_ = true;
  while (!answering_ && !over_ && !waiting_.empty()) {
    take(std::exchange(waiting_, {}));
  }
  taking_ = false;
}

// Bytes that begin no request would be waited on for a line's end that never comes: a TLS hello,
// where a client takes this port for HTTPS.
bool Session::no_http(const std::string& bytes) const {
  const auto first = static_cast<unsigned char>(bytes.front());
  return !reader_.begun() && std::isalpha(first) == 0 && first != '\r' && first != '\n';
}

void Session::take(const std::string& bytes) {
  if (no_http(bytes)) {
    keep_alive_ = false;
    answer(error_answer(400, "that is no HTTP request"));
    return;
  }
  const std::size_t taken = reader_.feed(bytes, [&](std::string_view piece) { body_ += piece; });
  if (!reader_.error().empty() || body_.size() > kLongestBody) {
    keep_alive_ = false;
    answer(reader_.error().empty() ? error_answer(413, "the body is longer than 64 MiB")
                                   : error_answer(400, reader_.error()));
    return;
  }
  if (!reader_.done()) {
    if (reader_.head_complete() && !continue_sent_ && !reader_.head().field("expect").empty()) {
      continue_sent_ = true;
      connection_->send("HTTP/1.1 100 Continue\r\n\r\n");
    }
    return;
  }
  waiting_ = bytes.substr(taken);
  answering_ = true;
  keep_alive_ = reader_.head().keeps_alive();
  on_request_(shared_from_this(), Request{reader_.head(), body_, received_});
}

void Session::answer(const Answer& answer, std::string_view fields) {
  connection_->send(http_text(answer, extra_fields_, fields, keep_alive_));
  finish_message();
}

void Session::begin_stream(std::string_view content_type) {
  connection_->send(
      fmt::format("HTTP/1.1 200 OK\r\nContent-Type: {}; charset=utf-8\r\n"
                  "Cache-Control: no-cache\r\nTransfer-Encoding: chunked\r\n{}{}\r\n",
                  content_type, extra_fields_, keep_alive_ ? "" : "Connection: close\r\n"));
}

base::Nanos Session::stream(std::string_view events) {
  out_.clear();
  append_http_chunk(events, out_);
  return connection_->send(out_);
}

base::Nanos Session::end_stream(std::string_view events) {
  out_.clear();
  append_http_chunk(events, out_);
  out_ += "0\r\n\r\n";
  const base::Nanos at = connection_->send(out_);
  finish_message();
  return at;
}

void Session::cut() {
  on_abandoned_ = nullptr;
  over_ = true;
  connection_->close();
  on_closed_(shared_from_this());
}

void Session::finish_message() {
  on_abandoned_ = nullptr;
  answering_ = false;
  continue_sent_ = false;
  body_.clear();
  reader_.reset();
  if (keep_alive_) {
    take_waiting();
    return;
  }
  over_ = true;
  connection_->close_when_sent();
  on_closed_(shared_from_this());
}

void Session::on_closed(const std::string& /*why*/) {
  over_ = true;
  if (on_abandoned_) {
    std::exchange(on_abandoned_, nullptr)();
  }
  on_closed_(shared_from_this());
}

}  // namespace steelyard::emulate
