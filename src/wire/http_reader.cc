#include "wire/http_reader.h"

#include <algorithm>
#include <charconv>
#include <limits>

#include "base/text.h"

namespace steelyard::wire {
namespace {

constexpr std::size_t kLongestLine = 16U << 10U;  // a chunk's size with its extensions, a trailer

std::string_view without_cr(std::string_view line) {
  return line.ends_with('\r') ? line.substr(0, line.size() - 1) : line;
}

template <typename Number>
std::optional<Number> number_of(std::string_view text, int base) {
  Number number{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number, base);
  const bool whole = error == std::errc{} && end == text.data() + text.size();
  return whole && !text.empty() ? std::optional(number) : std::nullopt;
}

std::string_view word(std::string_view& line) {
  const std::size_t end = std::min(line.find(' '), line.size());
  const std::string_view taken = line.substr(0, end);
  line.remove_prefix(std::min(end + 1, line.size()));
  return taken;
}

bool read_version(std::string_view text, HttpHead& head) {
  if (text != "HTTP/1.1" && text != "HTTP/1.0") {
    return false;
  }
  head.minor_version = text.back() - '0';
  return true;
}

bool read_status_line(std::string_view line, HttpHead& head) {
  const bool version_known = read_version(word(line), head);
  const auto status = number_of<int>(word(line), 10);
  head.status = status.value_or(0);
  head.reason = base::valid_utf8(line);
  return version_known && head.status >= 100 && head.status <= 999;
}

bool read_request_line(std::string_view line, HttpHead& head) {
  head.method = word(line);
  head.target = word(line);
  return read_version(line, head) && !head.method.empty() && !head.target.empty();
}

bool read_field(std::string_view line, HttpHead& head) {
  const std::size_t colon = line.find(':');
  if (colon == std::string_view::npos || colon == 0 || line.substr(0, colon).ends_with(' ')) {
    return false;
  }
  head.fields.emplace_back(base::lower(line.substr(0, colon)),
                           std::string(base::trim(line.substr(colon + 1))));
  return true;
}

bool has_token(std::string_view list, std::string_view token) {
  return std::ranges::any_of(base::split(list, ','), [&](std::string_view part) {
    return base::lower(base::trim(part)) == token;
  });
}

}  // namespace

bool is_field(std::string_view name, std::string_view value) {
  const bool token = !name.empty() && std::ranges::all_of(name, [](unsigned char c) {
    return std::isalnum(c) != 0 || c == '-' || c == '_' || c == '.';
  });
  const bool printable = std::ranges::none_of(
      value, [](unsigned char c) { return (c < ' ' && c != '\t') || c == 0x7F; });
  return token && printable;
}

std::string_view HttpHead::field(std::string_view name) const {
  const auto found = std::ranges::find(
      fields, name, [](const auto& field) -> std::string_view { return field.first; });
  return found == fields.end() ? std::string_view{} : std::string_view(found->second);
}

bool HttpHead::keeps_alive() const {
  const std::string_view connection = field("connection");
  return minor_version >= 1 ? !has_token(connection, "close") : has_token(connection, "keep-alive");
}

void HttpReader::fail(std::string_view why) {
  state_ = State::kFailed;
  error_ = why;
}

void HttpReader::reset() {
  state_ = State::kHead;
  begun_ = false;
  head_text_.clear();
  line_.clear();
  remaining_ = 0;
  head_ = HttpHead{};
  error_ = {};
}

// The head ends with an empty line; a bare LF ends a line too (RFC 9112, section 2.2).
void HttpReader::take_head(std::string_view& bytes) {
  begun_ = true;
  while (!bytes.empty()) {
    const std::size_t end = bytes.find('\n');
    const std::size_t taken = end == std::string_view::npos ? bytes.size() : end + 1;
    head_text_ += bytes.substr(0, taken);
    bytes.remove_prefix(taken);
    if (head_text_.size() > kLongestHead) {
      fail("the head of the HTTP message is longer than 64 KiB");
      return;
    }
    if (end == std::string_view::npos) {
      return;
    }
    if (head_text_ == "\r\n" || head_text_ == "\n") {
      head_text_.clear();  // an empty line before a message is passed over
    } else if (head_text_.ends_with("\n\r\n") || head_text_.ends_with("\n\n")) {
      parse_head();
      return;
    }
  }
}

void HttpReader::parse_head() {
  const std::string_view rest = head_text_;
  bool first = true;
  for (const std::string_view raw : base::split(rest, '\n')) {
    const std::string_view line = without_cr(raw);
    if (line.empty()) {
      break;
    }
    const bool understood = !first                     ? read_field(line, head_)
                            : side_ == Side::kRequests ? read_request_line(line, head_)
                                                       : read_status_line(line, head_);
    if (!understood) {
      fail(first ? "not HTTP/1.1" : "a header line is malformed");
      return;
    }
    first = false;
  }
  if (side_ == Side::kResponses && head_.status < 200) {
    head_ = HttpHead{};
    head_text_.clear();
    return;  // interim: the real answer follows
  }
  begin_body();
}

// RFC 9112, section 6.3.
void HttpReader::begin_body() {
  const std::string_view coding = head_.field("transfer-encoding");
  const std::string_view length = head_.field("content-length");
  if (side_ == Side::kResponses && (head_.status == 204 || head_.status == 304)) {
    state_ = State::kDone;
    return;
  }
  if (!coding.empty()) {
    if (!has_token(coding, "chunked")) {
      fail("a transfer coding other than chunked");
      return;
    }
    state_ = State::kChunkSize;
    return;
  }
  if (!length.empty()) {
    const auto size = number_of<std::uint64_t>(length, 10);
    if (!size) {
      fail("the content length is no number");
      return;
    }
    remaining_ = *size;
    state_ = remaining_ == 0 ? State::kDone : State::kLength;
    return;
  }
  state_ = side_ == Side::kResponses ? State::kUntilClose : State::kDone;
}

std::string_view HttpReader::take_body(std::string_view& bytes) {
  const std::uint64_t limit =
      state_ == State::kUntilClose ? std::numeric_limits<std::uint64_t>::max() : remaining_;
  const std::string_view piece =
      bytes.substr(0, static_cast<std::size_t>(std::min<std::uint64_t>(limit, bytes.size())));
  bytes.remove_prefix(piece.size());
  if (state_ == State::kUntilClose) {
    return piece;
  }
  remaining_ -= piece.size();
  if (remaining_ == 0) {
    state_ = state_ == State::kLength ? State::kDone : State::kChunkEnd;
  }
  return piece;
}

std::optional<std::string_view> HttpReader::line_of(std::string_view& bytes) {
  const std::size_t end = bytes.find('\n');
  if (end == std::string_view::npos) {
    line_ += bytes;
    bytes = {};
    if (line_.size() > kLongestLine) {
      fail("a line of the chunked body is too long");
    }
    return std::nullopt;
  }
  std::string_view line = bytes.substr(0, end);
  bytes.remove_prefix(end + 1);
  if (!line_.empty()) {
    line_ += line;
    line = line_;
  }
  return without_cr(line);
}

std::optional<std::string_view> HttpReader::take_whole_chunk(std::string_view& bytes) const {
  constexpr std::string_view kLineEnd = "\r\n";
  std::uint64_t size = 0;
  const char* const start = bytes.data();
  const char* const stop = start + bytes.size();
  const auto [digits_end, error] = std::from_chars(start, stop, size, 16);
  const std::string_view behind(digits_end, stop);
  if (!line_.empty() || error != std::errc{} || size == 0 || !behind.starts_with(kLineEnd) ||
      behind.size() - kLineEnd.size() < size) {
    return std::nullopt;
  }
  const std::string_view data = behind.substr(kLineEnd.size(), size);
  const std::string_view rest = behind.substr(kLineEnd.size() + size);
  if (!rest.starts_with(kLineEnd)) {
    return std::nullopt;
  }
  bytes = rest.substr(kLineEnd.size());
  return data;
}

void HttpReader::take_chunk_line(std::string_view& bytes) {
  const auto line = line_of(bytes);
  if (!line) {
    return;
  }
  if (state_ == State::kChunkSize) {
    const auto size = number_of<std::uint64_t>(base::trim(line->substr(0, line->find(';'))), 16);
    if (!size) {
      fail("the size of a chunk is no number");
    } else {
      remaining_ = *size;
      state_ = remaining_ == 0 ? State::kTrailer : State::kChunkData;
    }
  } else if (!line->empty() && state_ == State::kChunkEnd) {
    fail("a chunk is longer than its size");
  } else if (state_ == State::kChunkEnd) {
    state_ = State::kChunkSize;
  } else if (line->empty()) {
    state_ = State::kDone;  // the line after the trailer
  }
  line_.clear();
}

bool HttpReader::finish() {
  if (state_ == State::kUntilClose) {
    state_ = State::kDone;
  }
  return state_ == State::kDone;
}

}  // namespace steelyard::wire
