// The words of which fault scripts are made.
#pragma once

#include <fmt/format.h>

#include <string>

#include "emulate/fault_scripts.h"
#include "emulate/http_text.h"

namespace steelyard::emulate::script {

using Piece = FaultScript::Piece;
using Pieces = std::vector<Piece>;

inline const std::string kStreamFields =
    "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream; charset=utf-8\r\n";
inline const std::string kChunkedHead = kStreamFields + "Transfer-Encoding: chunked\r\n\r\n";
inline const std::string kUntilCloseHead = kStreamFields + "Connection: close\r\n\r\n";
inline const std::string kDone = "data: [DONE]\n\n";
inline const std::string kEndOfMessage = "0\r\n\r\n";

inline std::string event(const std::string& json) { return "data: " + json + "\n\n"; }
inline std::string choice(const std::string& members) {
  return R"({"id":"chatcmpl-1","object":"chat.completion.chunk","created":1764633600,)"
         R"("model":"emulated-model","choices":[{"index":0,)" +
         members + "}]";
}
inline std::string delta(const std::string& fields) {
  return event(choice(R"("delta":{)" + fields + R"(},"finish_reason":null)") + "}");
}
inline std::string content(const std::string& text) { return delta(R"("content":")" + text + '"'); }
inline std::string finish() {
  return event(choice(R"("delta":{},"finish_reason":"length")") + "}");
}
inline std::string counts(std::int64_t output) {
  return fmt::format(R"("usage":{{"prompt_tokens":7,"total_tokens":{},"completion_tokens":{}}})",
                     output + 7, output);
}
inline std::string usage(std::int64_t output) {
  return event(R"({"id":"chatcmpl-1","choices":[],)" + counts(output) + "}");
}
inline std::string counted(const std::string& text, std::int64_t output) {
  return event(choice(R"("delta":{"content":")" + text + R"("},"finish_reason":null)") + "," +
               counts(output) + "}");
}
inline std::string ending(std::int64_t output) { return finish() + usage(output) + kDone; }

inline std::string chunk(const std::string& data) {
  std::string bytes;
  append_http_chunk(data, bytes);
  return bytes;
}
inline std::string whole(const std::string& status, const std::string& type,
                         const std::string& body, const std::string& fields = "") {
  return fmt::format("HTTP/1.1 {}\r\nContent-Type: {}\r\n{}Content-Length: {}\r\n\r\n{}", status,
                     type, fields, body.size(), body);
}
inline std::string with_line_ends(std::string text, const std::string& end) {
  for (std::size_t at = text.find('\n'); at != std::string::npos; at = text.find('\n', at)) {
    text.replace(at, 1, end);
    at += end.size();
  }
  return text;
}

// Each piece one HTTP chunk, the head with the first, the end of the message with the last.
inline Pieces stream(Pieces pieces) {
  for (Piece& piece : pieces) {
    piece.bytes = chunk(piece.bytes);
  }
  pieces.front().bytes = kChunkedHead + pieces.front().bytes;
  pieces.back().bytes += kEndOfMessage;
  return pieces;
}
// The same without the end of the message.
inline Pieces cut_stream(Pieces pieces) {
  pieces = stream(std::move(pieces));
  pieces.back().bytes.resize(pieces.back().bytes.size() - kEndOfMessage.size());
  return pieces;
}
inline Pieces until_close(Pieces pieces) {
  pieces.front().bytes = kUntilCloseHead + pieces.front().bytes;
  return pieces;
}

}  // namespace steelyard::emulate::script
