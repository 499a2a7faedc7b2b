#include "wire/event_stream.h"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>

#include "base/check.h"

namespace steelyard::wire {
namespace {

using Type = EventStreamHeader::Type;

constexpr std::size_t kPrelude = 12;
constexpr std::size_t kChecksum = 4;
constexpr std::size_t kLeast = kPrelude + kChecksum;

std::uint64_t big_endian(std::string_view bytes) {
  std::uint64_t number = 0;
  for (const char c : bytes) {
    number = number << 8U | static_cast<unsigned char>(c);
  }
  return number;
}

void append_big_endian(std::size_t number, std::size_t bytes, std::string& into) {
  for (std::size_t i = bytes; i > 0; --i) {
    into += static_cast<char>(number >> 8U * (i - 1) & 0xFFU);
  }
}

std::uint32_t checksum(std::string_view bytes) {
  return static_cast<std::uint32_t>(
      ::crc32_z(0, reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size()));
}

// Takes `size` bytes off; absent when there are fewer.
std::optional<std::string_view> take(std::string_view& bytes, std::size_t size) {
  if (bytes.size() < size) {
    return std::nullopt;
  }
  const std::string_view taken = bytes.substr(0, size);
  bytes.remove_prefix(size);
  return taken;
}

bool has_length(Type type) { return type == Type::kBytes || type == Type::kString; }

// Of a value whose type alone says how long it is.
std::size_t fixed_size(Type type) {
  switch (type) {
    case Type::kTrue:
    case Type::kFalse:
      return 0;
    case Type::kByte:
      return 1;
    case Type::kInt16:
      return 2;
    case Type::kInt32:
      return 4;
    case Type::kInt64:
    case Type::kTimestamp:
      return 8;
    default:
      return 16;
  }
}

std::optional<std::string_view> take_value(std::string_view& headers, Type type) {
  if (!has_length(type)) {
    return take(headers, fixed_size(type));
  }
  const auto length = take(headers, 2);
  return length ? take(headers, big_endian(*length)) : std::nullopt;
}

void append_header(const EventStreamHeader& header, std::string& into) {
  STEELYARD_CHECK(!header.name.empty() && header.name.size() <= 0xFF,
                  "a header's name is too long");
  STEELYARD_CHECK(has_length(header.type) ? header.value.size() <= 0xFFFF
                                          : header.value.size() == fixed_size(header.type),
                  "a header's value does not have the size of its type");
  append_big_endian(header.name.size(), 1, into);
  into += header.name;
  into += static_cast<char>(header.type);
  if (has_length(header.type)) {
    append_big_endian(header.value.size(), 2, into);
  }
  into += header.value;
}

}  // namespace

std::optional<std::int64_t> EventStreamHeader::number() const {
  switch (type) {
    case Type::kByte:
      return static_cast<std::int8_t>(big_endian(value));
    case Type::kInt16:
      return static_cast<std::int16_t>(big_endian(value));
    case Type::kInt32:
      return static_cast<std::int32_t>(big_endian(value));
    case Type::kInt64:
    case Type::kTimestamp:
      return static_cast<std::int64_t>(big_endian(value));
    default:
      return std::nullopt;
  }
}

std::optional<EventStreamHeader> take_header(std::string_view& headers) {
  const auto name_length = take(headers, 1);
  const auto name = name_length ? take(headers, big_endian(*name_length)) : std::nullopt;
  const auto type = name ? take(headers, 1) : std::nullopt;
  if (!type || name->empty() || big_endian(*type) > static_cast<std::uint64_t>(Type::kUuid)) {
    return std::nullopt;
  }
  EventStreamHeader header{*name, static_cast<Type>(type->front()), {}};
  const auto value = take_value(headers, header.type);
  if (!value) {
    return std::nullopt;
  }
  header.value = *value;
  return header;
}

std::optional<EventStreamHeader> EventStreamMessage::find(std::string_view name) const {
  std::string_view rest = headers;
  while (const auto header = take_header(rest)) {
    if (header->name == name) {
      return header;
    }
  }
  return std::nullopt;
}

std::string_view EventStreamMessage::text(std::string_view name) const {
  const auto header = find(name);
  return header && header->type == Type::kString ? header->value : std::string_view();
}

void EventStreamReader::reset() {
  partial_.clear();
  whole_ = 0;
  error_.clear();
}

bool EventStreamReader::finish() {
  if (error_.empty() && !partial_.empty()) {
    return fail(fmt::format("the stream ended {} bytes into it", partial_.size()));
  }
  return error_.empty();
}

bool EventStreamReader::next_message(std::string_view& bytes, EventStreamMessage& message) {
  if (partial_.empty() && bytes.size() >= kLeast) {
    const std::size_t size = frame_size(bytes.substr(0, kPrelude));
    if (size == 0) {
      return false;
    }
    if (const auto frame = take(bytes, size)) {
      return parse(*frame, message);
    }
  }
  if (!keep(bytes, kPrelude)) {
    return false;
  }
  const std::size_t size = frame_size(partial_);
  return size > 0 && keep(bytes, size) && parse(partial_, message);
}

bool EventStreamReader::keep(std::string_view& bytes, std::size_t size) {
  if (partial_.size() < size) {
    const std::size_t more = std::min(size - partial_.size(), bytes.size());
    partial_.append(bytes.substr(0, more));
    bytes.remove_prefix(more);
  }
  return partial_.size() >= size;
}

// The checksum comes first: where it fails, the lengths are noise.
std::size_t EventStreamReader::frame_size(std::string_view prelude) {
  const std::uint64_t size = big_endian(prelude.substr(0, 4));
  const std::uint64_t headers = big_endian(prelude.substr(4, 4));
  const std::uint64_t stated = big_endian(prelude.substr(8, 4));
  if (const std::uint32_t found = checksum(prelude.substr(0, 8)); found != stated) {
    fail(fmt::format("prelude checksum mismatch: it says {:08x}, its bytes give {:08x}", stated,
                     found));
    return 0;
  }
  if (size < kLeast + headers) {
    fail(fmt::format("a length of {} bytes does not hold {} bytes of headers", size, headers));
    return 0;
  }
  if (headers > kLongestHeaders || size - headers - kLeast > kLongestPayload) {
    fail(
        fmt::format("{} bytes of headers and {} of payload are beyond the format's bounds of {} "
                    "and {}",
                    headers, size - headers - kLeast, kLongestHeaders, kLongestPayload));
    return 0;
  }
  return size;
}

bool EventStreamReader::parse(std::string_view frame, EventStreamMessage& message) {
  const std::string_view checked = frame.substr(0, frame.size() - kChecksum);
  const std::uint64_t stated = big_endian(frame.substr(checked.size()));
  if (const std::uint32_t found = checksum(checked); found != stated) {
    return fail(fmt::format("message checksum mismatch: it says {:08x}, its bytes give {:08x}",
                            stated, found));
  }
  const std::size_t headers = big_endian(frame.substr(4, 4));
  message.headers = checked.substr(kPrelude, headers);
  message.payload = checked.substr(kPrelude + headers);
  for (std::string_view rest = message.headers; !rest.empty();) {
    const std::size_t at = headers - rest.size();
    if (!take_header(rest)) {
      return fail(fmt::format("the header at byte {} of its headers is not well formed", at));
    }
  }
  ++whole_;
  return true;
}

bool EventStreamReader::fail(std::string_view why) {
  error_ = fmt::format("message {} of the event stream: {}", whole_ + 1, why);
  return false;
}

void append_event_stream_message(std::span<const EventStreamHeader> headers,
                                 std::string_view payload, std::string& into) {
  const std::size_t start = into.size();
  into.append(kPrelude, '\0');
  for (const EventStreamHeader& header : headers) {
    append_header(header, into);
  }
  const std::size_t headers_size = into.size() - start - kPrelude;
  STEELYARD_CHECK(headers_size <= EventStreamReader::kLongestHeaders &&
                      payload.size() <= EventStreamReader::kLongestPayload,
                  "a message is beyond the format's bounds");
  into += payload;
  std::string prelude;
  append_big_endian(into.size() - start + kChecksum, 4, prelude);
  append_big_endian(headers_size, 4, prelude);
  append_big_endian(checksum(prelude), 4, prelude);
  into.replace(start, kPrelude, prelude);
  append_big_endian(checksum(std::string_view(into).substr(start)), 4, into);
}

}  // namespace steelyard::wire
