// A sweep of two input lengths without a clock, in each of its forms.
#include <nlohmann/json.hpp>

#include "../study/made_up_queue.h"
#include "golden.h"
#include "report/loads.h"
#include "report/svg.h"

namespace steelyard::report {
namespace {

using base::kSecond;
using study::Load;
using testing::HasSubstr;
using testing::Not;

study::StepResult step_of(const Load& load, const study::Sla& sla) {
  study::MadeUpQueue queue;
  queue.service = load.input_len == 512 ? kSecond : kSecond / 2;
  study::StepRules rules;
  rules.whole = true;
  study::StepMeter meter(load, sla, rules);
  study::StepResult step;
  step.load = load;
  step.finding = study::QueueRun(queue, load).measure(meter, 300 * kSecond);
  step.settled = meter.settled();
  step.settling = meter.flow().settling();
  step.window = meter.flow().window();
  step.sent_per_s = meter.flow().sent_per_s();
  step.completed_per_s = meter.flow().completed_per_s();
  step.mean_out = meter.flow().mean_out();
  step.flow = meter.flow().flow();
  step.figures = meter.figures();
  step.summary = step.figures.run.summary();
  const measure::Attainment& good = step.figures.sla.good();
  step.interval = measure::anytime_interval(good.met, good.due);
  return step;
}

// Eight slots; at 512 tokens too few loads are tried.
struct MadeUpLoads {
  study::Sla sla{{quantity::parse_sla_term("", "ttft<300ms").value(),
                  quantity::parse_sla_term("", "tpot<200ms").value()},
                 0.9};
  study::Budget budget;
  study::LoadStudyResult result;

  MadeUpLoads() {
    for (const double users : {1, 2, 4, 8, 16, 32}) {
      result.steps.push_back(step_of({Load::Kind::kConcurrency, users, 64}, sla));
    }
    for (const double users : {2, 8}) {
      result.steps.push_back(step_of({Load::Kind::kConcurrency, users, 512}, sla));
    }
    for (study::StepResult& step : result.steps) {
      step.report.emulated_by = "made up";
      step.certificate.self_test = measure::SelfTest{32, 96, 1'500, {0.01, 0.05}, {0.001, 0.02}};
    }
    result.curves = study::curves_of(result.steps);
    result.took = 60 * kSecond;
  }
  [[nodiscard]] Loads shown(const std::string& model = "model-7b") const {
    return {"any",
            "20261203-080000",
            "http://127.0.0.1:8000",
            model,
            "nightly",
            sla,
            std::nullopt,
            0,
            budget,
            result};
  }
};

TEST(LoadsReports, are_as_they_were) {
  const MadeUpLoads made;
  expect_golden("loads.txt", loads_text(made.shown()));
  expect_golden("loads.en.svg", loads_svg(made.shown(), Language::kEnglish));
  expect_golden("loads.zh.svg", loads_svg(made.shown(), Language::kChinese));
}

TEST(LoadsReports, the_json_is_as_it_was) {
  const MadeUpLoads made;
  const std::vector<base::Json> results(made.result.steps.size(), base::Json::object());
  const std::string text = loads_json(made.shown(), results);
  expect_alike(nlohmann::json::parse(text), nlohmann::json::parse(golden("loads.json", text)), "");
}

TEST(LoadsReports, the_knee_and_its_lack_are_said) {
  const MadeUpLoads made;
  const std::string text = loads_text(made.shown());
  EXPECT_THAT(text, HasSubstr("knee          64 tok in: concurrency 8, between 4 and 16 (95 %)"));
  EXPECT_THAT(text, HasSubstr("knee          512 tok in: not known: 2 loads were measured"));
  EXPECT_THAT(text, HasSubstr("self-test     32 streams"));
}

std::size_t count_of(const std::string& text, std::string_view piece) {
  std::size_t n = 0;
  for (std::size_t at = text.find(piece); at != std::string::npos; at = text.find(piece, at + 1)) {
    ++n;
  }
  return n;
}

TEST(LoadsReports, the_drawing_rings_the_knee_in_each_panel_and_has_the_limits) {
  const MadeUpLoads made;
  const std::string svg = loads_svg(made.shown(), Language::kEnglish);
  EXPECT_EQ(count_of(svg, "<circle class=\"knee\""), 5U) << "four panels and the legend";
  EXPECT_EQ(count_of(svg, "<line class=\"limit\""), 3U) << "TTFT, TPOT, and a user's pace";
  EXPECT_THAT(svg, HasSubstr("EMULATED"));
}

TEST(LoadsReports, the_drawing_survives_hostile_names) {
  const MadeUpLoads made;
  const std::string svg = loads_svg(made.shown("<a>&\"\x01\xFF"), Language::kEnglish);
  EXPECT_THAT(svg, HasSubstr("&lt;a&gt;&amp;&quot;\xEF\xBF\xBD\xEF\xBF\xBD"));
  EXPECT_THAT(svg, Not(HasSubstr("<a>")));
  EXPECT_EQ(xml_text("a\xEF\xBF\xBF"), "a\xEF\xBF\xBD") << "U+FFFF is none of XML's";
}

TEST(LoadsReports, a_drawing_of_nothing_says_so) {
  const MadeUpLoads made;
  study::LoadStudyResult nothing;
  const study::Sla none;
  const Loads loads{"any", "20261203-080000", "http://h", "m",         "",
                    none,  std::nullopt,      0,          made.budget, nothing};
  EXPECT_EQ(count_of(loads_svg(loads, Language::kEnglish), "no value was measured"), 4U);
}

}  // namespace
}  // namespace steelyard::report
