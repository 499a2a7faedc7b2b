// The JSON of an answer: parsed without allocating, and looked at.
#pragma once

#include <simdjson.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "platform/answer_event.h"

namespace steelyard::platform {

using JsonElement = simdjson::dom::element;

class JsonText {
 public:
  // Absent unless it is a JSON object. Views of it hold until the next call. Bytes that are not
  // UTF-8 become U+FFFD.
  [[nodiscard]] std::optional<JsonElement> object(std::string_view data);

 private:
  simdjson::simdjson_result<JsonElement> parse(std::string_view data);

  simdjson::dom::parser parser_;
  std::string repaired_;
  std::string buffer_;  // the text and the slack that simdjson reads beyond it
};

// "" where it is no string.
[[nodiscard]] std::string_view text_at(JsonElement object, std::string_view key);
// Tokens. Floats such as 15.0 are accepted: some proxies re-encode counts. Absent where it is no
// count that a request could have.
[[nodiscard]] std::optional<std::int64_t> count_at(JsonElement object, std::string_view key);
// The length of a list; 0 where there is none.
[[nodiscard]] std::uint32_t listed_at(JsonElement object, std::string_view key);
// The sum of the counts that there are; absent where the first is.
[[nodiscard]] std::optional<std::int64_t> sum_at(JsonElement object,
                                                 std::initializer_list<std::string_view> keys);
// Milliseconds, whole or not.
[[nodiscard]] std::optional<base::Nanos> ms_at(JsonElement object, std::string_view key);
// A number, whole or not.
[[nodiscard]] std::optional<double> number_at(JsonElement object, std::string_view key);
// Null where there is none.
[[nodiscard]] std::optional<JsonElement> object_at(JsonElement object, std::string_view key);

// The words of an error body in any platform's shape; absent: it is no error. `data` is the text
// that it was parsed from, which stands for words that have no place of their own.
[[nodiscard]] std::optional<std::string_view> error_in(JsonElement root, std::string_view data);

// What every dialect's events have in common: [DONE], what is no JSON object, and errors, all of
// which are told in `event`, with nothing more to read. Else the object. An event of the type
// "error" is one whatever it says.
[[nodiscard]] std::optional<JsonElement> open_event(JsonText& json, std::string_view type,
                                                    std::string_view data, AnswerEvent& event);

}  // namespace steelyard::platform
