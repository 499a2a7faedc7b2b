// Answers of an OpenAI-compatible server as bytes.
#pragma once

#include <fmt/format.h>

#include <string>
#include <vector>

namespace steelyard::load {

inline const std::string kStreamHead =
    "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream; charset=utf-8\r\n";
inline const std::string kDone = "data: [DONE]\n\n";

inline std::string event(const std::string& json) { return "data: " + json + "\n\n"; }
inline std::string delta(const std::string& fields) {
  return event(R"({"choices":[{"index":0,"delta":{)" + fields + "}}]}");
}
inline std::string content(const std::string& text) { return delta(R"("content":")" + text + '"'); }
inline std::string finish() {
  return event(R"({"choices":[{"index":0,"delta":{},"finish_reason":"length"}]})");
}
inline std::string usage(std::int64_t input, std::int64_t output) {
  return event(fmt::format(
      R"({{"choices":[],"usage":{{"prompt_tokens":{},"completion_tokens":{}}}}})", input, output));
}
// A chunk with the running count, as continuous_usage_stats gives it.
inline std::string counted(const std::string& text, std::int64_t output) {
  return event(fmt::format(
      R"({{"choices":[{{"delta":{{"content":"{}"}}}}],"usage":{{"prompt_tokens":7,"completion_tokens":{}}}}})",
      text, output));
}

inline std::string repeated(const std::string& text, int times) {
  std::string all;
  for (int i = 0; i < times; ++i) {
    all += text;
  }
  return all;
}

inline std::string chunk(const std::string& data) {
  return fmt::format("{:x}\r\n{}\r\n", data.size(), data);
}
// One HTTP chunk an event, and the end of the message.
inline std::string stream(const std::vector<std::string>& events) {
  std::string bytes = kStreamHead + "Transfer-Encoding: chunked\r\n\r\n";
  for (const std::string& one : events) {
    bytes += chunk(one);
  }
  return bytes + "0\r\n\r\n";
}
// The body ends with the connection.
inline std::string until_close(const std::string& body) {
  return kStreamHead + "Connection: close\r\n\r\n" + body;
}
inline std::string whole(const std::string& status, const std::string& type,
                         const std::string& body, const std::string& fields = "") {
  return fmt::format("HTTP/1.1 {}\r\nContent-Type: {}\r\n{}Content-Length: {}\r\n\r\n{}", status,
                     type, fields, body.size(), body);
}

}  // namespace steelyard::load
