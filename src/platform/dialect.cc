#include "platform/dialect.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

namespace steelyard::platform {

BodyTemplate body_template(const RequestOptions& options) {
  base::Json body = options.dialect->body(options);
  if (!options.extra_body.empty()) {
    constexpr bool kMergeObjects = true;
    body.update(base::parse_json(options.extra_body).value(), kMergeObjects);
  }
  return {body, options.dialect->prompt};
}

std::string path_under(const wire::Url& base_url, std::string_view path) {
  constexpr std::string_view kVersion = "/v1";
  if (base_url.path.ends_with(kVersion) && path.starts_with("/v1/")) {
    path.remove_prefix(kVersion.size());
  }
  return std::string(path);
}

bool names_model_in_path(const Dialect& dialect) {
  RequestOptions one;
  one.model = "one";
  RequestOptions other;
  other.model = "other";
  return dialect.path(one) != dialect.path(other);
}

base::Status check_ignore_eos(const std::string& where, const RequestOptions& options) {
  if (!options.ignore_eos || options.dialect->takes_ignore_eos) {
    return {};
  }
  return base::bad_input(where,
                         fmt::format("the {} protocol has no such field", options.dialect->name),
                         "leave it out");
}

base::Status check_extra_body(const std::string& where, const std::string& text) {
  if (text.empty()) {
    return {};
  }
  const auto json = base::parse_json(text);
  if (json && json->is_object()) {
    return {};
  }
  return base::bad_input(where, json ? "not a JSON object" : json.error(),
                         R"(a JSON object, for example {"top_p": 0.9})");
}

}  // namespace steelyard::platform
