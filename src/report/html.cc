#include "report/html.h"

#include "base/check.h"

extern "C" {
extern const char kReportPage[];
extern const char kReportPageEnd[];
}

namespace steelyard::report {
namespace {

// "null" is what the data replaces.
constexpr std::string_view kBefore = R"(<script type="application/json" id="steelyard-data">)";
constexpr std::string_view kNull = "null";

// Within a script element only "</" and "<!--" can end or change it; both need a "<", which JSON
// may write with an escape.
std::string for_script(std::string_view json) {
  std::string out;
  out.reserve(json.size());
  for (const char c : json) {
    if (c == '<') {
      out += "\\u003c";
    } else {
      out += c;
    }
  }
  return out;
}

}  // namespace

std::string html_page(std::string_view json) {
  const std::string_view page(kReportPage, static_cast<std::size_t>(kReportPageEnd - kReportPage));
  const std::size_t before = page.find(kBefore);
  STEELYARD_CHECK(before != std::string_view::npos, "the page has no place for its data");
  const std::string_view after = page.substr(before + kBefore.size());
  STEELYARD_CHECK(after.starts_with(kNull), "the page has data in it already");
  std::string out(page.substr(0, before + kBefore.size()));
  out += for_script(json);
  out += after.substr(kNull.size());
  return out;
}

}  // namespace steelyard::report
