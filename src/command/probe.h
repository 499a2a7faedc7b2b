// `steelyard inspect --probe URL`: what one request to a live endpoint tells of how it can be
// measured: which fields it refuses, how its stream is framed, where the usage stands, whether the
// output's length can be held.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "base/json.h"
#include "command/inspect.h"
#include "load/plan.h"
#include "platform/dialect.h"

namespace steelyard::command {

struct ProbedField {
  std::string name;  // "stream_options.include_usage"
  bool refused = false;
  std::string words;  // the server's, of the refusal
};

// Where the counts stand in the stream.
enum class UsagePlace : std::uint8_t {
  kNone,
  kEveryEvent,  // of those with tokens
  kOwnEvent,    // after the last token
  kWithFinish,  // in the event that has the finish reason
  kWithTokens,  // in an event with tokens, the last
  kWhole,       // of an answer that was not streamed
};
[[nodiscard]] std::string_view words_of(UsagePlace place);

struct ProbeFacts {
  std::string address;  // without what may be secret
  std::string model;
  const platform::Dialect* asked = nullptr;  // never null
  int requests = 0;
  bool emulated = false;
  std::string content_type;
  std::int64_t reads = 0;  // of the socket, the last answer's
  std::vector<ProbedField> fields;
  UsagePlace usage = UsagePlace::kNone;
  std::int64_t asked_tokens = 0;
  // Absent: no answer tells.
  std::optional<bool> length_held;
  std::optional<double> tokens_a_chunk;
  StreamFacts answer;  // the last
};

// One request with every field of the dialect that a benchmark might send; where it is refused,
// again without those that the refusal names, or with halves of them where it names none. Blocks.
// An endpoint that cannot be reached is an environment error; a refusal of the request itself is
// none: the answer's verdict says so.
[[nodiscard]] base::Result<ProbeFacts> probe(const load::Target& target,
                                             const platform::RequestOptions& request);

// Lines for a person, and docs/schema/probe.schema.json.
[[nodiscard]] std::string describe(const ProbeFacts& facts);
[[nodiscard]] base::Json probe_json(const ProbeFacts& facts);

}  // namespace steelyard::command
