// JSON trees from outside text and back. The library's own tree functions recurse once a level, so
// a text of a hundred thousand brackets would end the program; and its writer throws on text that
// is not UTF-8, which a server or a client may well have sent. Here neither happens. (Answers in a
// run are read by simdjson, which has the same limit.)
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

#include "base/error.h"

namespace steelyard::base {

using Json = nlohmann::ordered_json;

inline constexpr std::size_t kDeepestJson = 1024;

// The error is what is wrong, for a sentence: "not JSON", or that it is nested too deeply.
[[nodiscard]] tl::expected<Json, std::string> parse_json(std::string_view text);

// The line, counted from 1, at which `text` stops being JSON; of JSON its last.
[[nodiscard]] std::size_t json_fault_line(std::string_view text);

// On one line, or with `indent` spaces a level. Bytes that are not UTF-8 become U+FFFD.
[[nodiscard]] std::string dump_json(const Json& json, int indent = -1);

}  // namespace steelyard::base
