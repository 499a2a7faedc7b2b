#include "wire/deframer.h"

#include <array>

#include "base/text.h"

namespace steelyard::wire {

Framing framing_of(std::string_view content_type) {
  const std::string type = base::lower(base::trim(content_type.substr(0, content_type.find(';'))));
  if (type == "text/event-stream") {
    return Framing::kSse;
  }
  if (type == "application/vnd.amazon.eventstream") {
    return Framing::kAwsEvents;
  }
  for (const std::string_view name : {"application/x-ndjson", "application/ndjson",
                                      "application/jsonl", "application/x-jsonlines"}) {
    if (type == name) {
      return Framing::kLines;
    }
  }
  return Framing::kNone;
}

void Deframer::begin(Framing framing) {
  framing_ = framing;
  inner_ = Framing::kNone;
  sse_.reset();
  lines_.reset();
  aws_.reset();
}

std::string_view Deframer::error() const {
  if (sse_.overflowed() || lines_.overflowed()) {
    return "an event within the stream is longer than 64 MiB";
  }
  return aws_.error();
}

SseEvent Deframer::as_event(const EventStreamMessage& message) {
  const std::string_view kind = message.text(":message-type");
  if (kind == "event") {
    return {message.text(":event-type"), message.payload};
  }
  // An exception says what it is in its payload, an unmodelled error in its headers.
  for (const std::string_view words :
       {message.payload, message.text(":error-message"), message.text(":exception-type"),
        message.text(":error-code")}) {
    if (!words.empty()) {
      return {"error", words};
    }
  }
  return {"error", "an exception without words"};
}

}  // namespace steelyard::wire
