#include "report/html.h"

#include <nlohmann/json.hpp>
#include <set>

#include "made_up_evaluation.h"
#include "report/evaluation_json.h"

namespace steelyard::report {
namespace {

constexpr std::string_view kOpening = R"(<script type="application/json" id="steelyard-data">)";

std::size_t count(std::string_view text, std::string_view piece) {
  std::size_t found = 0;
  for (std::size_t at = text.find(piece); at != std::string_view::npos;
       at = text.find(piece, at + 1)) {
    ++found;
  }
  return found;
}

// As a browser finds it: up to the first "</script".
std::string_view data_of(std::string_view page) {
  const std::size_t begin = page.find(kOpening) + kOpening.size();
  return page.substr(begin, page.find("</script", begin) - begin);
}

TEST(Html, has_one_element_of_data_and_it_reads_back) {
  const std::string json = evaluation_json(made_up_evaluation());
  const std::string page = html_page(json);
  EXPECT_EQ(count(page, kOpening), 1U);
  EXPECT_EQ(nlohmann::json::parse(data_of(page)), nlohmann::json::parse(json));
  const std::string other = html_page("null");
  EXPECT_EQ(page.size() - data_of(page).size(), other.size() - 4)
      << "the page about it is the same";
}

TEST(Html, names_cannot_leave_it) {
  const std::vector<std::string> names{
      "</script><script>alert(1)</script>",
      "<!--<script>",
      R"(<script type="application/json" id="steelyard-data">null</script>)",
      "]]>",
      "\xE2\x80\xA8\xE2\x80\xA9",
      "</SCRIPT\t>",
      "&lt;&amp;\"'\\"};
  const std::string json = evaluation_json(evaluation_named(names));
  const std::string page = html_page(json);
  EXPECT_EQ(count(page, kOpening), 1U);
  EXPECT_EQ(data_of(page).find('<'), std::string_view::npos);
  const auto read = nlohmann::json::parse(data_of(page));
  ASSERT_EQ(read, nlohmann::json::parse(json));
  std::set<std::string> seen;
  for (const auto& platform : read.at("platforms")) {
    seen.insert(platform.at("name").get<std::string>());
  }
  EXPECT_EQ(seen, std::set<std::string>(names.begin(), names.end()));
}

TEST(Html, invalid_utf8_does_not_break_the_page) {
  study::Evaluation evaluation = made_up_evaluation();
  for (study::PlatformResult& result : evaluation.platforms) {
    for (auto& [outcome, words] : result.failure_examples) {
      words = "\xFF\xC3(";
    }
  }
  EXPECT_FALSE(
      nlohmann::json::parse(data_of(html_page(evaluation_json(evaluation)))).is_discarded());
}

}  // namespace
}  // namespace steelyard::report
