#include "command/recording.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "base/json.h"
#include "base/text.h"
#include "wire/deframer.h"
#include "wire/json_array.h"

namespace steelyard::command {
namespace {

constexpr std::string_view kBom = "\xEF\xBB\xBF";

// Header text as it was saved, of whichever version of HTTP, and where it ends; npos: it does not.
struct HeadText {
  wire::HttpHead head;
  std::size_t size = 0;
};

void take_field(std::string_view line, wire::HttpHead& head) {
  const std::size_t colon = line.find(':');
  if (colon != std::string_view::npos) {
    head.fields.emplace_back(base::lower(base::trim(line.substr(0, colon))),
                             base::trim(line.substr(colon + 1)));
  }
}

HeadText read_head(std::string_view bytes) {
  HeadText text;
  bool first = true;
  while (text.size < bytes.size()) {
    const std::size_t end = bytes.find('\n', text.size);
    const std::string_view line = base::trim(bytes.substr(text.size, end - text.size));
    text.size = end == std::string_view::npos ? bytes.size() : end + 1;
    if (line.empty()) {
      break;
    }
    if (first) {
      const std::string_view status =
          base::trim(line.substr(std::min(line.find(' '), line.size())));
      for (std::size_t i = 0; i < 3 && i < status.size() && status[i] >= '0' && status[i] <= '9';
           ++i) {
        text.head.status = text.head.status * 10 + (status[i] - '0');
      }
      first = false;
    } else {
      take_field(line, text.head);
    }
  }
  return text;
}

// Whether `bytes` begin with the size of a chunk: no framing of a stream does.
bool begins_with_a_chunk(std::string_view bytes) {
  const std::string_view line = bytes.substr(0, bytes.substr(0, 64).find("\r\n"));
  const std::string_view size = line.substr(0, line.find(';'));
  return line.size() < bytes.size() && !size.empty() && size.size() <= 16 &&
         size.find_first_not_of("0123456789abcdefABCDEF") == std::string_view::npos;
}

void unchunk(std::string_view bytes, Recording& recording) {
  wire::HttpReader reader(wire::HttpReader::Side::kResponses);
  reader.feed("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", [](std::string_view) {});
  reader.feed(bytes, [&](std::string_view piece) { recording.body += piece; });
  recording.short_of_body = !reader.done();
}

void take_body(std::string_view bytes, Recording& recording) {
  const std::string_view length = recording.head.field("content-length");
  if (begins_with_a_chunk(bytes)) {
    return unchunk(bytes, recording);
  }
  recording.body = bytes;
  std::size_t stated = 0;
  for (const char c : length.substr(0, 15)) {
    stated = c >= '0' && c <= '9' ? stated * 10 + static_cast<std::size_t>(c - '0') : stated;
  }
  recording.short_of_body = bytes.size() < stated;
}

// "gzip" and the like; "" where it is plain.
std::string compression_of(const Recording& recording) {
  const std::string coding = base::lower(recording.head.field("content-encoding"));
  if (recording.body.starts_with("\x1F\x8B")) {
    return "gzip";
  }
  const bool text = recording.body.starts_with('{') || recording.body.starts_with("data:") ||
                    recording.body.starts_with("event:");
  return text || coding == "identity" ? "" : coding;  // curl --compressed leaves the field in place
}

bool begins_as_sse(std::string_view line) {
  constexpr std::array<std::string_view, 4> kFields = {"data", "event", "id", "retry"};
  return line.starts_with(':') || std::ranges::any_of(kFields, [&](std::string_view field) {
           return line.starts_with(field) &&
                  (line.size() == field.size() || line[field.size()] == ':');
         });
}

bool has_sse(std::string_view body) {
  constexpr std::size_t kLookAt = 64U << 10U;
  std::string_view rest = body.substr(0, kLookAt);
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find_first_of("\r\n"), rest.size());
    if (begins_as_sse(rest.substr(0, end))) {
      return true;
    }
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return false;
}

// An object: alone it is a whole answer, and one a line are a stream.
Shape framing_of_object(std::string_view body) {
  const std::size_t end = body.find('\n');
  const bool alone = end == std::string_view::npos;
  if (alone || base::parse_json(body)) {
    return Shape::kWhole;
  }
  return base::parse_json(body.substr(0, end)) ? Shape::kLines : Shape::kWhole;
}

std::optional<Shape> sniffed(std::string_view body) {
  if (body.starts_with('\0')) {  // the length of a message, below 16 MiB
    return Shape::kAwsEvents;
  }
  const std::string_view text = base::trim(body);
  if (text.starts_with('{')) {
    return framing_of_object(text);
  }
  if (text.starts_with('[')) {
    const std::string_view inside = base::trim(text.substr(1));
    if (inside.empty() || inside.starts_with('{') || inside == "]") {
      return Shape::kJsonArray;
    }
  }
  return has_sse(body) ? std::optional(Shape::kSse) : std::nullopt;
}

bool is_binary(std::string_view bytes) {
  return std::ranges::any_of(bytes.substr(0, 4096), [](char c) {
    return static_cast<unsigned char>(c) < ' ' && c != '\n' && c != '\r' && c != '\t';
  });
}

}  // namespace

base::Result<Recording> open_recording(const std::string& name, std::string_view bytes) {
  Recording recording;
  if (bytes.empty()) {
    return base::bad_input(name, "it is empty", "the body of a stream, as curl -N saved it");
  }
  bytes.remove_prefix(bytes.starts_with(kBom) ? kBom.size() : 0);
  // Interim answers, a proxy's and redirections stand before the one that counts.
  while (bytes.starts_with("HTTP/")) {
    HeadText text = read_head(bytes);
    recording.head = std::move(text.head);
    bytes.remove_prefix(text.size);
  }
  take_body(bytes, recording);
  if (recording.body.empty()) {
    return recording.head.status != 0
               ? base::bad_input(name, "a header and no body", "an answer with its body")
               : base::bad_input(name, "chunks and nothing in them", "an answer with its body");
  }
  if (const std::string coding = compression_of(recording); !coding.empty()) {
    return base::bad_input(name, fmt::format("compressed ({})", base::valid_utf8(coding)),
                           "the body as curl --compressed saves it");
  }
  const auto framing = sniffed(recording.body);
  const bool refused = recording.head.status >= 400;
  if (!framing && !refused) {
    return base::bad_input(
        name,
        is_binary(recording.body) ? "bytes that are no AWS event stream and no text"
                                  : "text, and neither server-sent events nor JSON",
        "the body of a stream: lines that begin with \"data:\", a JSON object a line, a JSON "
        "array, or an AWS event stream");
  }
  recording.framing = refused ? Shape::kWhole : framing.value_or(Shape::kWhole);
  return recording;
}

namespace {

wire::Framing framing_of(Shape shape) {
  return shape == Shape::kAwsEvents ? wire::Framing::kAwsEvents
         : shape == Shape::kLines   ? wire::Framing::kLines
                                    : wire::Framing::kSse;
}

void split_array(std::string_view bytes, RecordedEvents& into) {
  wire::JsonArraySplitter array;
  const bool fed = array.feed(bytes, [&](std::string_view element) {
    into.events.push_back({"", std::string(element), false});
  });
  into.broken = fed ? "" : "after that it is no JSON array of objects";
  into.cut_short = fed && !array.finish();
  if (!array.rest().empty()) {
    into.events.push_back({"", std::string(array.rest()), true});
  }
}

void deframe(Shape shape, std::string_view bytes, RecordedEvents& into) {
  if (shape == Shape::kJsonArray) {
    return split_array(bytes, into);
  }
  wire::Deframer deframer;
  bool rest = false;
  const auto keep = [&](const wire::SseEvent& event) {
    into.events.push_back({std::string(event.type), std::string(event.data), rest});
  };
  deframer.begin(framing_of(shape));
  deframer.feed(bytes, keep);
  into.broken = deframer.error();
  rest = true;
  const std::size_t before = into.events.size();
  into.cut_short = deframer.finish(keep) && into.broken.empty();
  into.torn_message = into.cut_short && into.events.size() == before;
}

// How what the model's container wrote is framed, as the deframer takes it, where there is any.
Shape inner_of(std::string_view bytes) {
  Shape inner = Shape::kWhole;
  wire::EventStreamReader reader;
  reader.feed(bytes, [&](const wire::EventStreamMessage& message) {
    if (message.text(":event-type") == "PayloadPart" && inner == Shape::kWhole &&
        !message.payload.empty()) {
      inner = message.payload.front() == '{' ? Shape::kLines : Shape::kSse;
    }
  });
  return inner;
}

}  // namespace

RecordedEvents events_of(const Recording& recording) {
  RecordedEvents found;
  deframe(recording.framing, recording.body, found);
  if (recording.framing == Shape::kAwsEvents) {
    found.inner = inner_of(recording.body);
  }
  return found;
}

std::string_view name_of(Shape shape) {
  switch (shape) {
    case Shape::kSse:
      return "server-sent events";
    case Shape::kLines:
      return "a JSON object a line";
    case Shape::kAwsEvents:
      return "AWS event stream";
    case Shape::kJsonArray:
      return "a JSON array";
    case Shape::kWhole:
      break;
  }
  return "a whole answer";
}

std::string_view key_of(Shape shape) {
  switch (shape) {
    case Shape::kSse:
      return "sse";
    case Shape::kLines:
      return "ndjson";
    case Shape::kAwsEvents:
      return "aws_event_stream";
    case Shape::kJsonArray:
      return "json_array";
    case Shape::kWhole:
      break;
  }
  return "whole";
}

}  // namespace steelyard::command
