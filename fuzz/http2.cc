// Any bytes of a server, cut anywhere, give the same answers to two requests, and none after one of
// them was cancelled.
#include <cstdint>
#include <cstdlib>
#include <string>

#include "wire/http2_session.h"

namespace {

using steelyard::wire::Http2Session;
using steelyard::wire::Http2Stream;

struct Answer : Http2Stream {
  void on_answer() override { quiet = quiet && !cancelled; }
  void on_piece(std::string_view piece) override { body += piece; }
  void on_reset() override { quiet = quiet && !cancelled; }
  [[nodiscard]] std::string all() const {
    return std::to_string(head.status) + body + (done ? "|done|" : "|open|") +
           std::to_string(reset.value_or(0)) + std::string(head.field("content-type"));
  }
  std::string body;
  bool cancelled = false;
  bool quiet = true;
};

std::string answers_to(std::string_view bytes, std::size_t cut, std::size_t cancel_at) {
  constexpr std::string_view kRequest = "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 2\r\n\r\n{}";
  Answer first;
  Answer second;
  Http2Session session(false);
  session.request(kRequest, first);
  session.request(kRequest, second);
  (void)session.output();
  std::string error;
  for (const std::string_view piece : {bytes.substr(0, cut), bytes.substr(cut)}) {
    const auto taken = session.take(piece);
    (void)session.output();
    if (!taken) {
      error = taken.error().what;
      break;
    }
    if (cancel_at == cut && !second.cancelled) {
      session.cancel(second);
      second.cancelled = true;
      (void)session.output();
    }
  }
  if (!first.quiet || !second.quiet) {
    std::abort();
  }
  return first.all() + second.all() + error;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  constexpr std::size_t kNever = SIZE_MAX;
  // Half of the inputs begin as every server must, with empty settings.
  std::string given(reinterpret_cast<const char*>(data), size);
  if (size > 0 && data[0] % 2 == 0) {
    given.insert(0, "\0\0\0\4\0\0\0\0\0", 9);
  }
  const std::string_view bytes = given;
  const std::size_t cut = size == 0 ? 0 : data[0] % (bytes.size() + 1);
  if (answers_to(bytes, cut, kNever) != answers_to(bytes, bytes.size(), kNever)) {
    std::abort();
  }
  (void)answers_to(bytes, cut, cut);
  return 0;
}
