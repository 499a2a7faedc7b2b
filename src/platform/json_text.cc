#include "platform/json_text.h"

#include <array>
#include <cstring>

#include "base/text.h"

namespace steelyard::platform {
namespace {

// No request has more; a larger count is garbage, and would ruin every sum (and fill the memory:
// ITL has a sample a token).
constexpr std::int64_t kMostTokens = 20'000'000;

std::string_view first_of(JsonElement object, std::string_view data) {
  for (const std::string_view key : {"message", "Message", "msg", "detail"}) {
    if (const std::string_view words = text_at(object, key); !words.empty()) {
      return words;
    }
  }
  return data;
}

}  // namespace

std::optional<JsonElement> JsonText::object(std::string_view data) {
  auto parsed = parse(data);
  if (parsed.error() == simdjson::UTF8_ERROR) {
    repaired_ = base::valid_utf8(data);
    parsed = parse(repaired_);
  }
  JsonElement root;
  if (std::move(parsed).get(root) != simdjson::SUCCESS || !root.is_object()) {
    return std::nullopt;
  }
  return root;
}

simdjson::simdjson_result<JsonElement> JsonText::parse(std::string_view data) {
  const std::size_t needed = data.size() + simdjson::SIMDJSON_PADDING;
  if (buffer_.size() < needed) {
    buffer_.resize(2 * needed);
  }
  std::memcpy(buffer_.data(), data.data(), data.size());
  std::memset(buffer_.data() + data.size(), 0, simdjson::SIMDJSON_PADDING);
  return parser_.parse(buffer_.data(), data.size(), false);
}

std::string_view text_at(JsonElement object, std::string_view key) {
  std::string_view text;
  return object[key].get(text) == simdjson::SUCCESS ? text : std::string_view{};
}

std::optional<std::int64_t> count_at(JsonElement object, std::string_view key) {
  std::int64_t count = 0;
  if (object[key].get(count) == simdjson::SUCCESS) {
    return count >= 0 && count <= kMostTokens ? std::optional(count) : std::nullopt;
  }
  const auto number = number_at(object, key);
  return number && *number >= 0 && *number <= kMostTokens
             ? std::optional(static_cast<std::int64_t>(*number))
             : std::nullopt;
}

std::uint32_t listed_at(JsonElement object, std::string_view key) {
  simdjson::dom::array list;
  return object[key].get(list) == simdjson::SUCCESS ? static_cast<std::uint32_t>(list.size()) : 0;
}

std::optional<std::int64_t> sum_at(JsonElement object,
                                   std::initializer_list<std::string_view> keys) {
  std::optional<std::int64_t> sum;
  for (const std::string_view key : keys) {
    const auto count = count_at(object, key);
    if (!sum && !count) {
      return std::nullopt;
    }
    sum = sum.value_or(0) + count.value_or(0);
  }
  return sum;
}

std::optional<base::Nanos> ms_at(JsonElement object, std::string_view key) {
  const auto ms = number_at(object, key);
  return ms ? std::optional(static_cast<base::Nanos>(*ms * base::kMillisecond)) : std::nullopt;
}

std::optional<double> number_at(JsonElement object, std::string_view key) {
  double number = 0;
  return object[key].get(number) == simdjson::SUCCESS ? std::optional(number) : std::nullopt;
}

std::optional<JsonElement> object_at(JsonElement object, std::string_view key) {
  JsonElement found;
  return object[key].get(found) == simdjson::SUCCESS && found.is_object() ? std::optional(found)
                                                                          : std::nullopt;
}

// {"error": {"message": ...}}, {"error": "..."}, and vLLM's {"object": "error", "message": ...};
// Huawei's {"error_msg": ...}; Tencent's {"Response": {"Error": {"Message": ...}}}.
std::optional<std::string_view> error_in(JsonElement root, std::string_view data) {
  JsonElement error;
  if (root["error"].get(error) == simdjson::SUCCESS && !error.is_null()) {
    std::string_view words;
    if (error.get(words) == simdjson::SUCCESS) {
      return words;
    }
    return error.is_object() ? first_of(error, data) : data;
  }
  if (text_at(root, "object") == "error") {
    return first_of(root, data);
  }
  if (const std::string_view words = text_at(root, "error_msg"); !words.empty()) {
    return words;
  }
  if (const auto response = object_at(root, "Response")) {
    if (const auto told = object_at(*response, "Error")) {
      return first_of(*told, data);
    }
  }
  return std::nullopt;
}

std::optional<JsonElement> open_event(JsonText& json, std::string_view type, std::string_view data,
                                      AnswerEvent& event) {
  if (base::trim(data) == "[DONE]") {
    event.kind = AnswerEvent::Kind::kDone;
    return std::nullopt;
  }
  const bool told = type == "error";
  const auto root = json.object(data);
  if (!root) {
    event.kind = told ? AnswerEvent::Kind::kError : AnswerEvent::Kind::kMalformed;
    event.error = told ? data : "not a JSON object";
    return std::nullopt;
  }
  const auto words = error_in(*root, data);
  if (words || told) {
    event.kind = AnswerEvent::Kind::kError;
    event.error = words ? *words : first_of(*root, data);
    return std::nullopt;
  }
  return root;
}

}  // namespace steelyard::platform
