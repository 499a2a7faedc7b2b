// A recorded answer taken out of what it was saved in: the header text that curl -i leaves before
// it, chunks that were not put together, and its framing, which is known by its bytes.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "wire/http_reader.h"

namespace steelyard::command {

// How the events of an answer are told apart.
enum class Shape : std::uint8_t {
  kWhole,      // one JSON text, not streamed
  kSse,        // server-sent events
  kLines,      // a JSON object a line
  kJsonArray,  // an object of a growing array each
  kAwsEvents,  // AWS event stream
};

struct Recording {
  wire::HttpHead head;  // status 0: none was recorded
  std::string body;     // the last answer's, without chunks
  Shape framing = Shape::kWhole;
  bool short_of_body = false;  // HTTP says that more should have come
};

// `name` is the file's, for errors: an empty one, one that is compressed, and one in which nothing
// looks like an answer, are bad input.
[[nodiscard]] base::Result<Recording> open_recording(const std::string& name,
                                                     std::string_view bytes);

struct RecordedEvent {
  std::string type;
  std::string data;
  bool rest = false;  // what was left of it when the bytes ended
};

struct RecordedEvents {
  std::vector<RecordedEvent> events;
  Shape inner = Shape::kWhole;  // of what an AWS event stream carried, if anything
  bool cut_short = false;       // the last one had no end
  bool torn_message = false;    // and nothing of it can be read
  std::string broken;           // why the rest could not be read, else ""
};

// Of a recording whose framing is not kNone.
[[nodiscard]] RecordedEvents events_of(const Recording& recording);

// "server-sent events", ...
[[nodiscard]] std::string_view name_of(Shape shape);
// For JSON: "sse", "ndjson", "aws_event_stream", "json_array", "whole".
[[nodiscard]] std::string_view key_of(Shape shape);

}  // namespace steelyard::command
