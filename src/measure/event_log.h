// What happened to one request and when, as the socket saw it. Every metric, ours or another
// tool's, is computed from this and from nothing else.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "platform/answer_event.h"

namespace steelyard::measure {

// What a chunk of the stream carried. Chunks without text (role, finish, usage, comments) are not
// tokens to a reader, and so neither start TTFT nor add a gap.
enum class ChunkKind : std::uint8_t {
  kEmpty,      // role-only, finish: a choice without text
  kReasoning,  // thinking before the answer
  kContent,    // the answer
  kToolCall,
  kNoChoice,  // usage alone. Logs of older stores have it as kEmpty
};

struct ChunkEvent {
  base::Nanos at = 0;  // kernel receive stamp where there is one
  ChunkKind kind = ChunkKind::kEmpty;
  std::uint32_t tokens = 0;  // tokens in this chunk where the server says so, else 0
};

enum class Outcome : std::uint8_t {
  kCompleted,
  kRefused,      // a status other than 200: 401, 404, 503
  kRateLimited,  // 429: over the quota, which says nothing of how fast the platform is
  kErrorInBand,  // 200, and then an error event
  kTruncated,    // the stream ended without [DONE] or a finish reason
  kNoToken,      // 200 without one token
  kTimeout,
  kConnection,   // could not connect, reset
  kProtocol,     // bytes that are not what was agreed
  kNotStreamed,  // a stream was asked for; what came is neither that nor a whole answer
};

// In rising sureness.
enum class TokenSource : std::uint8_t { kUnknown, kChunks, kTokenizer, kUsage };

struct RequestLog {
  std::int64_t index = 0;  // in the order of sending, from 0
  base::Nanos due_at = 0;  // when the schedule wanted it sent
  // When it left, on an open connection: the kernel's stamp where there is one, else `written_at`;
  // never connected: when it was given up.
  base::Nanos sent_at = 0;
  base::Nanos written_at = 0;          // when this program wrote it, which may be before it left
  std::optional<base::Nanos> connect;  // time to connect, where this request had to
  std::optional<base::Nanos> tls_handshake;  // of that, over TLS
  std::optional<base::Nanos> first_byte_at;
  std::optional<base::Nanos> end_at;  // last byte
  std::vector<ChunkEvent> chunks;     // ascending in time
  bool streamed = true;               // false: one JSON body, so there is no TTFT
  Outcome outcome = Outcome::kCompleted;
  int http_status = 0;  // 0: no answer came
  std::optional<std::int64_t> input_tokens;
  std::optional<std::int64_t> output_tokens;
  TokenSource token_source = TokenSource::kUnknown;
  // As they were planned: the prompt's estimate and the limit it was sent with. Absent in logs of
  // older stores.
  std::optional<std::int64_t> asked_input_tokens;
  std::optional<std::int64_t> asked_output_tokens;
  platform::ServerTimes server;  // the platform's own account
  std::string failure;           // the server's words, redacted
};

}  // namespace steelyard::measure
