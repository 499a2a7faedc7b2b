// One self-contained page: the bundle of web/ with the data inside. Opens offline.
#pragma once

#include <string>
#include <string_view>

namespace steelyard::report {

// `json` is that of evaluation_json.
[[nodiscard]] std::string html_page(std::string_view json);

}  // namespace steelyard::report
