#include "base/json.h"

#include <fmt/format.h>

#include <algorithm>
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

// Takes every event of the parser's, keeps nothing but where it stopped.
class FaultFinder : public nlohmann::json_sax<Json> {
 public:
  [[nodiscard]] std::size_t at() const { return at_; }

  bool null() override { return true; }
  bool boolean(bool) override { return true; }
  bool number_integer(number_integer_t) override { return true; }
  bool number_unsigned(number_unsigned_t) override { return true; }
  bool number_float(number_float_t, const string_t&) override { return true; }
  bool string(string_t&) override { return true; }
  bool binary(binary_t&) override { return true; }
  bool start_object(std::size_t) override { return true; }
  bool key(string_t&) override { return true; }
  bool end_object() override { return true; }
  bool start_array(std::size_t) override { return true; }
  bool end_array() override { return true; }
  bool parse_error(std::size_t position, const std::string&, const Json::exception&) override {
    at_ = position;  // bytes read, the one at fault with them
    return false;
  }

 private:
  std::size_t at_ = std::string_view::npos;
};

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

std::size_t json_fault_line(std::string_view text) {
  FaultFinder finder;
  Json::sax_parse(text, &finder);
  const std::string_view before = text.substr(0, finder.at() == 0 ? 0 : finder.at() - 1);
  return 1 + static_cast<std::size_t>(std::ranges::count(before, '\n'));
}

std::string dump_json(const Json& json, int indent) {
  return json.dump(indent, ' ', false, Json::error_handler_t::replace);
}

}  // namespace steelyard::base
