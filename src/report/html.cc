#include "report/html.h"

#include "base/check.h"

extern "C" {
extern const char steelyard_report_page[];
extern const char steelyard_report_page_end[];
}

namespace steelyard::report {
namespace {

constexpr std::string_view kPlace =
    R"(<script type="application/json" id="steelyard-data">null</script>)";
constexpr std::string_view kNull = "null</script>";

// Within a script element only "</" and "<!--" can end or change it; in JSON both may be written
// with an escape.
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
  const std::string_view page(
      steelyard_report_page,
      static_cast<std::size_t>(steelyard_report_page_end - steelyard_report_page));
  const std::size_t place = page.find(kPlace);
  STEELYARD_CHECK(place != std::string_view::npos, "the page has no place for its data");
  const std::size_t at = place + kPlace.size() - kNull.size();
  std::string out(page.substr(0, at));
  out += for_script(json);
  out += page.substr(at + 4);
  return out;
}

}  // namespace steelyard::report
