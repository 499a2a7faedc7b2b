#include "emulate/answer_bytes.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/check.h"
#include "emulate/http_text.h"
#include "emulate/openai_voice.h"

namespace steelyard::emulate {
namespace {

// As long as vLLM's, which makes an event of the usual size.
constexpr std::string_view kChatId = "chatcmpl-5eed0000000000000000000000000001";
constexpr std::string_view kTextId = "cmpl-5eed0000000000000000000000000001";

// Counts that stand nowhere else in the text, by which the places of the true ones are found.
constexpr std::int64_t kInputMark = 700'000'000'007;
constexpr std::int64_t kOutputMark = 20'000'000'009;

std::array<std::string, 4> around_counts(const std::string& event) {
  std::array<std::string, 4> parts;
  std::size_t from = 0;
  std::size_t part = 0;
  for (const std::int64_t mark : {kInputMark, kInputMark + kOutputMark, kOutputMark}) {
    const std::string digits = std::to_string(mark);
    const std::size_t at = event.find(digits, from);
    STEELYARD_CHECK(at != std::string::npos, "usage is prompt, total, completion");
    parts.at(part++) = event.substr(from, at - from);
    from = at + digits.size();
  }
  parts.at(part) = event.substr(from);
  return parts;
}

}  // namespace

AnswerBytes::AnswerBytes(bool chat, std::string_view model) {
  GenerationRequest request;
  request.chat = chat;
  request.model = model;
  request.include_usage = true;
  request.input_tokens = kInputMark;
  const OpenAiStream events(request, chat ? kChatId : kTextId);

  const auto head = [](std::string_view more) {
    return fmt::format(
        "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream; charset=utf-8\r\n"
        "Cache-Control: no-cache\r\nTransfer-Encoding: chunked\r\n{}{}\r\n",
        kTruthField, more);
  };
  head_ = head("");
  head_close_ = head("Connection: close\r\n");

  std::string event;
  for (std::int64_t token = 0; token < kRun; ++token) {
    starts_.push_back(run_.size());
    event.clear();
    events.append_tokens(token, 1, event);
    append_http_chunk(event, run_);
  }
  starts_.push_back(run_.size());

  const std::string ending = events.ending(kOutputMark);
  const std::size_t usage = ending.find("\n\n") + 2;
  const std::size_t done = ending.find("\n\n", usage) + 2;
  append_http_chunk(ending.substr(0, usage), finish_);
  usage_ = around_counts(ending.substr(usage, done - usage));
  append_http_chunk(ending.substr(done), end_);
  end_ += "0\r\n\r\n";
}

std::string_view AnswerBytes::tokens(std::int64_t first, std::int64_t& count) const {
  const std::int64_t from = first % kRun;
  count = std::min(count, kRun - from);
  const std::size_t start = starts_[static_cast<std::size_t>(from)];
  return std::string_view(run_).substr(start,
                                       starts_[static_cast<std::size_t>(from + count)] - start);
}

void AnswerBytes::append_ending(bool include_usage, std::int64_t input_tokens,
                                std::int64_t output_tokens, std::string& to) const {
  to += finish_;
  if (include_usage) {
    const fmt::format_int input(input_tokens);
    const fmt::format_int total(input_tokens + output_tokens);
    const fmt::format_int output(output_tokens);
    std::size_t size = input.size() + total.size() + output.size();
    for (const std::string& part : usage_) {
      size += part.size();
    }
    fmt::format_to(std::back_inserter(to), "{:x}\r\n{}{}{}{}{}{}{}\r\n", size, usage_[0],
                   input.c_str(), usage_[1], total.c_str(), usage_[2], output.c_str(), usage_[3]);
  }
  to += end_;
}

}  // namespace steelyard::emulate
