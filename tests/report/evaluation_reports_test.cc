#include <nlohmann/json.hpp>

#include "base/text.h"
#include "base/version.h"
#include "golden.h"
#include "made_up_evaluation.h"
#include "report/evaluation_json.h"
#include "report/evaluation_text.h"

namespace steelyard::report {
namespace {

using nlohmann::json;
using testing::HasSubstr;
using testing::Not;

std::string line_with(const std::string& text, std::string_view piece) {
  for (const std::string& line : lines_of(text)) {
    if (line.find(piece) != std::string::npos) {
      return line;
    }
  }
  return "no line with " + std::string(piece);
}

TEST(EvaluationReports, are_as_they_were) {
  const study::Evaluation evaluation = made_up_evaluation();
  for (const auto& [name, language] :
       {std::pair("en", Language::kEnglish), std::pair("zh", Language::kChinese)}) {
    expect_golden(fmt::format("evaluation.{}.txt", name), evaluation_text(evaluation, language));
    expect_golden(fmt::format("evaluation.{}.md", name), evaluation_markdown(evaluation, language));
  }
}

TEST(EvaluationReports, the_json_is_as_it_was) {
  std::string text = evaluation_json(made_up_evaluation());
  const std::string version = fmt::format("\"steelyard_version\": \"{}\"", base::version());
  ASSERT_THAT(text, HasSubstr(version));
  text.replace(text.find(version), version.size(), R"("steelyard_version": "any")");
  expect_alike(json::parse(text), json::parse(golden("evaluation.json", text)), "");
}

json platform(const json& ranking, const std::string& name) {
  for (const json& each : ranking.at("platforms")) {
    if (each.at("name") == name) {
      return each;
    }
  }
  return nullptr;
}

TEST(EvaluationReports, the_json_keeps_its_contract) {
  const json ranking = json::parse(evaluation_json(made_up_evaluation()));
  EXPECT_EQ(ranking.at("schema_version"), 1);
  EXPECT_EQ(ranking.at("platforms").size(), 8U);
  for (const json& each : ranking.at("platforms")) {
    EXPECT_EQ(each.at("origin"), "measured");
    EXPECT_TRUE(each.at("emulated").is_boolean());
    for (const char* key : {"cptls", "attainment_requests", "attainment_tokens", "ttft_ms",
                            "e2e_ms", "output_throughput", "n", "feasible", "rank"}) {
      EXPECT_TRUE(each.contains(key)) << key;
    }
    EXPECT_EQ(each.at("rank").is_null(), !each.at("feasible").get<bool>());
    for (const char* key : {"p50", "p90", "p99"}) {
      EXPECT_TRUE(each.at("ttft_ms").contains(key) && each.at("e2e_ms").contains(key));
    }
  }
  const json first = ranking.at("platforms").at(0);
  EXPECT_EQ(first.at("rank"), 1);
  EXPECT_EQ(first.at("cptls").at("currency"), "USD");
  EXPECT_EQ(first.at("cptls").at("per"), "1M good output tokens");
  EXPECT_EQ(platform(ranking, "rented-a100").at("offer").at("count"), 2);
  EXPECT_EQ(platform(ranking, "by-token").at("emulated"), false);
}

// But for counts of samples, which are truly 0.
void expect_no_number(const json& value, const std::string& where) {
  EXPECT_FALSE(value.is_number()) << where << " is " << value;
  if (value.is_structured()) {
    for (const auto& [key, inner] : value.items()) {
      if (key != "n") {
        expect_no_number(inner, where + "/" + key);
      }
    }
  }
}

TEST(EvaluationReports, what_is_missing_is_null_and_never_0) {
  const json ranking = json::parse(evaluation_json(made_up_evaluation()));
  json gone = platform(ranking, "gone");
  for (const char* counted : {"n", "completed", "failed"}) {
    EXPECT_EQ(gone.at(counted), 0);
    gone.erase(counted);
  }
  gone.erase("offer");
  expect_no_number(gone, "gone");

  json silent = platform(ranking, "silent");
  EXPECT_EQ(silent.at("attainment_requests"), 0) << "60 were due, and none was met: that is 0";
  for (const char* key :
       {"cptls", "cost", "cost_per_million_output_tokens", "published_index", "attainment_tokens",
        "output_throughput", "window_s", "total_output_tokens", "good_output_tokens"}) {
    EXPECT_TRUE(silent.at(key).is_null()) << key;
  }
  expect_no_number(silent.at("ttft_ms"), "silent/ttft_ms");

  const json uncounted = platform(ranking, "counts-nothing");
  EXPECT_EQ(uncounted.at("attainment_requests"), 1);
  for (const char* key : {"cptls", "cost", "attainment_tokens", "output_throughput",
                          "total_input_tokens", "good_output_tokens"}) {
    EXPECT_TRUE(uncounted.at(key).is_null()) << key;
  }
}

TEST(EvaluationReports, what_is_missing_is_a_dash_in_the_table) {
  const std::string text = evaluation_text(made_up_evaluation(), Language::kEnglish);
  const std::string gone = line_with(text, "gone ");
  EXPECT_THAT(gone, testing::ContainsRegex("^–  gone( +-){10} +0 +- +0$"));
  EXPECT_THAT(line_with(text, "silent "), HasSubstr("0.0 %"));
  EXPECT_THAT(line_with(text, "silent "), testing::ContainsRegex("60 +- +60$"));
  EXPECT_THAT(line_with(text, "– gone"), HasSubstr("could not be measured: http://127.0.0.1:9"));
  EXPECT_THAT(line_with(text, "– counts-nothing: the"), HasSubstr("gives no token counts"));
}

// The lines between the first rule of a table and the first line after it that is none of its rows.
void expect_aligned(const std::string& text, std::size_t rows) {
  const std::vector<std::string> lines = lines_of(text);
  const auto rule =
      std::ranges::find_if(lines, [](const std::string& line) { return line.starts_with("───"); });
  ASSERT_NE(rule, lines.end());
  const std::size_t width = base::display_width(*rule);
  EXPECT_EQ(base::display_width(*(rule - 1)), width) << *(rule - 1);
  for (auto row = rule + 1; row <= rule + static_cast<std::ptrdiff_t>(rows); ++row) {
    EXPECT_EQ(base::display_width(*row), width) << *row;
  }
}

TEST(EvaluationReports, columns_stand_straight_whatever_the_names) {
  std::vector<std::string> names{"a",
                                 "阿里云 PAI-EAS 上海",
                                 "مزود",
                                 "🚀 rocket",
                                 "cafe\xCC\x81",
                                 std::string(300, 'x'),
                                 fmt::format("{}", std::string("平台") + "-長い名前-플랫폼")};
  while (names.size() < 12) {
    names.push_back(fmt::format("platform-{}", names.size()));
  }
  const study::Evaluation evaluation = evaluation_named(names);
  for (const Language language : {Language::kEnglish, Language::kChinese}) {
    const std::string text = evaluation_text(evaluation, language);
    expect_aligned(text, 12);
    EXPECT_LT(base::display_width(lines_of(text).at(2)), 200U) << "a long name is cut";
  }
}

TEST(EvaluationReports, markdown_survives_hostile_names) {
  const study::Evaluation evaluation =
      evaluation_named({"a|b", "<img src=x>", "`code` *bold* _it_", "[x](javascript:1)", "a\\"});
  const std::string markdown = evaluation_markdown(evaluation, Language::kEnglish);
  for (const std::string& line : lines_of(markdown)) {
    if (line.starts_with("|") && line.find("| 1 ") == std::string::npos) {
      std::size_t bars = 0;
      for (std::size_t i = 0; i < line.size(); ++i) {
        bars += line[i] == '|' && (i == 0 || line[i - 1] != '\\') ? 1 : 0;
      }
      EXPECT_TRUE(bars == 16 || bars == 6) << line;
    }
  }
  EXPECT_THAT(markdown, Not(HasSubstr("<img")));
  EXPECT_THAT(markdown, Not(HasSubstr("[x](")));
}

TEST(EvaluationReports, the_verdict_names_all_that_cannot_be_told_apart) {
  const std::string same = evaluation_text(evaluation_named({"a", "b", "c"}), Language::kEnglish);
  EXPECT_THAT(same, HasSubstr("; it cannot be told apart from b, c."));
  const study::Evaluation six = evaluation_named({"a", "b", "c", "d", "e", "f"});
  EXPECT_THAT(evaluation_text(six, Language::kEnglish),
              HasSubstr("apart from b, c, d and 2 more."));
  EXPECT_THAT(evaluation_text(six, Language::kChinese),
              HasSubstr("与 b, c, d 等 5 个平台 无法区分"));
  const std::string apart = evaluation_text(made_up_evaluation(), Language::kEnglish);
  EXPECT_THAT(lines_of(apart).at(0), Not(HasSubstr("told apart")));

  study::Evaluation open = evaluation_named({"a", "b"});
  open.platforms[0].cost->cptls_high.reset();
  open.platforms[1].cost->cptls = 1e9;
  open.platforms[1].cost->cptls_low = 1e9;
  EXPECT_THAT(evaluation_text(open, Language::kEnglish), HasSubstr("cannot be told apart from b"))
      << "an interval that is open above rules nothing out";
}

TEST(EvaluationReports, none_meets_it) {
  study::Evaluation evaluation = made_up_evaluation();
  std::erase_if(evaluation.platforms, [](const auto& p) { return p.rank.has_value(); });
  EXPECT_EQ(lines_of(evaluation_text(evaluation, Language::kEnglish)).at(0),
            "No platform meets the SLA.");
  EXPECT_EQ(lines_of(evaluation_text(evaluation, Language::kChinese)).at(0), "没有平台满足 SLA。");
}

TEST(EvaluationReports, an_interruption_is_said) {
  study::Evaluation evaluation = made_up_evaluation();
  evaluation.interrupted = true;
  EXPECT_EQ(json::parse(evaluation_json(evaluation)).at("interrupted"), true);
  EXPECT_THAT(evaluation_text(evaluation, Language::kEnglish), HasSubstr("interrupted"));
  EXPECT_THAT(evaluation_markdown(evaluation, Language::kChinese), HasSubstr("中断"));
}

TEST(EvaluationReports, rounding_turns_no_share_into_another_verdict) {
  study::Evaluation evaluation = evaluation_named({"a"});
  const auto shown = [&](std::int64_t met) {
    evaluation.platforms[0].verdict.attainment.due = 10'000;
    evaluation.platforms[0].verdict.attainment.met = met;
    return line_with(evaluation_text(evaluation, Language::kEnglish), "a *");
  };
  EXPECT_THAT(shown(10'000), HasSubstr(" 100.0 % "));
  EXPECT_THAT(shown(9'999), HasSubstr(" 99.9 % "));
  EXPECT_THAT(shown(9'500), HasSubstr(" 95.0 % ")) << "the target";
  EXPECT_THAT(shown(9'499), HasSubstr(" 94.9 % "));
  EXPECT_THAT(shown(1'667), HasSubstr(" 16.7 % "));
}

}  // namespace
}  // namespace steelyard::report
