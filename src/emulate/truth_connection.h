// One client of the truth server: a socket, the request being read from it, and the answer being
// written to it.
#pragma once

#include <sys/uio.h>

#include <span>
#include <string>
#include <string_view>

#include "emulate/truth_tally.h"
#include "emulate/voice.h"
#include "wire/http_reader.h"

namespace steelyard::emulate {

// The answer that a connection is giving.
struct TruthReply {
  bool active = false;
  bool waits_for_client = false;  // its socket is full; it goes on when that has drained
  GenerationRequest request;
  std::int64_t parts_sent = 0;  // tokens, or pieces of a script
  base::Nanos due = 0;          // of the next part
  TruthTally::Reply truth;
};

class TruthConnection {
 public:
  enum class Read : std::uint8_t { kAgain, kClosed };

  // Takes the socket over.
  TruthConnection(int socket, std::uint32_t slot) : socket_(socket), slot_(slot) {}
  ~TruthConnection();
  TruthConnection(const TruthConnection&) = delete;
  TruthConnection& operator=(const TruthConnection&) = delete;

  // What has come, joined to what was not yet looked at.
  [[nodiscard]] Read read();
  // Goes on with the bytes that have come. True when a request is complete.
  [[nodiscard]] bool next_request();
  // What is wrong with the bytes that have come, else "".
  [[nodiscard]] std::string_view fault() const;
  void finish_request();

  // Writes what the socket takes and keeps the rest. False when the peer is gone.
  [[nodiscard]] bool write(std::span<iovec> pieces);
  [[nodiscard]] bool write(std::string_view bytes);
  // Goes on with the rest.
  [[nodiscard]] bool flush();
  [[nodiscard]] bool has_rest() const { return !rest_.empty(); }
  // Ends with a reset instead of a FIN.
  void reset_on_close() const;

  [[nodiscard]] int socket() const { return socket_; }
  [[nodiscard]] std::uint32_t slot() const { return slot_; }
  [[nodiscard]] const wire::HttpHead& head() const { return reader_.head(); }
  [[nodiscard]] std::string& body() { return body_; }
  // The kernel's stamp of the request's last byte, on the monotonic clock.
  [[nodiscard]] base::Nanos arrival() const { return arrival_; }

  TruthReply reply;
  std::uint32_t turn = 0;  // of this slot: its entries in queues from before count no more
  bool closing = false;    // once the rest is written
  bool watches_writable = false;
  bool taking = false;  // requests, further up the stack

 private:
  void keep_rest(std::span<const iovec> pieces, std::size_t sent);

  int socket_;
  std::uint32_t slot_;
  wire::HttpReader reader_{wire::HttpReader::Side::kRequests};
  std::string unread_;
  std::string body_;
  std::string rest_;
  bool too_long_ = false;
  bool no_http_ = false;
  bool continued_ = false;
  base::Nanos arrival_ = 0;
};

}  // namespace steelyard::emulate
