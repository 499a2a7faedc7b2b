#include "base/json.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

namespace steelyard::base {
namespace {

// Whether brackets outside of strings open more levels than are allowed. Of valid JSON the depth is
// exact; of anything else the parser stops no deeper than this counts.
bool too_deep(std::string_view text) {
  std::size_t depth = 0;
  bool in_string = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (in_string) {
      i += c == '\\' ? 1 : 0;
      in_string = c != '"';
    } else if (c == '[' || c == '{') {
      if (++depth > kDeepestJson) {
        return true;
      }
    } else if (c == ']' || c == '}') {
      depth -= depth > 0 ? 1 : 0;
    } else {
      in_string = c == '"';
    }
  }
  return false;
}

}  // namespace

tl::expected<Json, std::string> parse_json(std::string_view text) {
  if (too_deep(text)) {
    return tl::unexpected(fmt::format("nested deeper than {} levels", kDeepestJson));
  }
  Json json = Json::parse(text, nullptr, false);
  if (json.is_discarded()) {
    return tl::unexpected(std::string("not JSON"));
  }
  return json;
}

std::string dump_json(const Json& json, int indent) {
  return json.dump(indent, ' ', false, Json::error_handler_t::replace);
}

}  // namespace steelyard::base
