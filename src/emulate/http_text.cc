#include "emulate/http_text.h"

#include <fmt/format.h>

namespace steelyard::emulate {
namespace {

std::string_view reason_of(int status) {
  switch (status) {
    case 200:
      return "OK";
    case 400:
      return "Bad Request";
    case 401:
      return "Unauthorized";
    case 404:
      return "Not Found";
    case 405:
      return "Method Not Allowed";
    case 413:
      return "Content Too Large";
    case 429:
      return "Too Many Requests";
    case 503:
      return "Service Unavailable";
    default:
      return "Error";
  }
}

}  // namespace

std::string http_text(const Answer& answer, std::string_view fields, std::string_view more_fields,
                      bool keep_alive) {
  return fmt::format("HTTP/1.1 {} {}\r\nContent-Type: {}\r\nContent-Length: {}\r\n{}{}{}\r\n{}",
                     answer.status, reason_of(answer.status), answer.content_type,
                     answer.body.size(), fields, more_fields,
                     keep_alive ? "" : "Connection: close\r\n", answer.body);
}

void append_http_chunk(std::string_view data, std::string& to) {
  fmt::format_to(std::back_inserter(to), "{:x}\r\n", data.size());
  to.append(data).append("\r\n");
}

}  // namespace steelyard::emulate
