// The events of a stream, in whichever of the framings its Content-Type names.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "wire/event_stream.h"
#include "wire/ndjson.h"
#include "wire/sse.h"

namespace steelyard::wire {

enum class Framing : std::uint8_t {
  kNone,       // a whole answer
  kSse,        // text/event-stream
  kLines,      // application/x-ndjson and its other names
  kAwsEvents,  // application/vnd.amazon.eventstream
};

[[nodiscard]] Framing framing_of(std::string_view content_type);

// A line of NDJSON is an event without a type. An AWS message is an event of its `:event-type`; an
// exception or an error is one of the type "error"; SageMaker's PayloadPart is a piece, cut
// anywhere, of what the model's container wrote: server-sent events, or lines of JSON (LMI), which
// begin with a brace.
class Deframer {
 public:
  // Ready for a stream of that framing. Keeps its memory.
  void begin(Framing framing);

  // Calls `on_event(const SseEvent&)` for each event completed by `bytes`.
  template <typename OnEvent>
  void feed(std::string_view bytes, OnEvent&& on_event);
  // At the end: what is left of an event is given too, and true says that it was cut short.
  template <typename OnEvent>
  bool finish(OnEvent&& on_event);

  // Why nothing more can be read; "" while all is well.
  [[nodiscard]] std::string_view error() const;

 private:
  template <typename OnEvent>
  void take(const EventStreamMessage& message, OnEvent& on_event);
  // The event that a message is by itself.
  SseEvent as_event(const EventStreamMessage& message);

  Framing framing_ = Framing::kNone;
  Framing inner_ = Framing::kNone;  // of PayloadParts, once one has come
  SseParser sse_;
  NdjsonSplitter lines_;
  EventStreamReader aws_;
};

template <typename OnEvent>
void Deframer::feed(std::string_view bytes, OnEvent&& on_event) {
  switch (framing_) {
    case Framing::kSse:
      sse_.feed(bytes, on_event);
      break;
    case Framing::kLines:
      lines_.feed(bytes, [&](std::string_view line) { on_event(SseEvent{{}, line}); });
      break;
    case Framing::kAwsEvents:
      aws_.feed(bytes, [&](const EventStreamMessage& message) { take(message, on_event); });
      break;
    case Framing::kNone:
      break;
  }
}

template <typename OnEvent>
bool Deframer::finish(OnEvent&& on_event) {
  const bool torn = framing_ == Framing::kAwsEvents && !aws_.finish();
  if (framing_ == Framing::kLines || inner_ == Framing::kLines) {
    // A last line needs no end: whether it is whole, its JSON tells.
    lines_.finish([&](std::string_view line) { on_event(SseEvent{{}, line}); });
    return torn;
  }
  return sse_.finish(on_event) || torn;
}

template <typename OnEvent>
void Deframer::take(const EventStreamMessage& message, OnEvent& on_event) {
  if (message.text(":message-type") == "event" && message.text(":event-type") == "PayloadPart") {
    if (inner_ == Framing::kNone && !message.payload.empty()) {
      inner_ = message.payload.front() == '{' ? Framing::kLines : Framing::kSse;
    }
    if (inner_ == Framing::kLines) {
      lines_.feed(message.payload, [&](std::string_view line) { on_event(SseEvent{{}, line}); });
    } else {
      sse_.feed(message.payload, on_event);
    }
  } else {
    on_event(as_event(message));
  }
}

}  // namespace steelyard::wire
