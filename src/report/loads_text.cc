#include <fmt/format.h>

#include <cmath>

#include "report/figures.h"
#include "report/loads.h"
#include "report/self_test_text.h"
#include "report/table.h"

namespace steelyard::report {
namespace {

using base::Align;
using study::Load;
using study::LoadStudyResult;
using study::StepResult;
using study::StepVerdict;
using End = LoadStudyResult::End;

std::string share(const std::optional<double>& value) {
  return value ? fmt::format("{:.4g} %", 100 * *value) : "-";
}

std::string interval(const StepResult& step) {
  return step.interval
             ? fmt::format("[{:.4g}, {:.4g}]", 100 * step.interval->low, 100 * step.interval->high)
             : "-";
}

std::string verdict(const StepResult& step) {
  std::string text(name_of(step.finding.verdict));
  if (step.finding.verdict == StepVerdict::kUndecided && step.finding.leans_met) {
    text += ", likely meets";
  }
  if (step.finding.over_capacity) {
    text += ", over capacity";
  }
  return text + (step.settled ? "" : ", not settled");
}

// What the step is on the curve of its input length.
std::string on_curve(const LoadStudyResult& result, std::size_t step) {
  std::vector<std::string> words;
  for (const study::LoadCurve& curve : result.curves) {
    if (curve.knee_step() == step) {
      words.emplace_back("knee");
    }
    if (curve.on_frontier(step)) {
      words.emplace_back("frontier");
    }
  }
  return base::join(words, ", ");
}

std::string table_text(const Loads& loads) {
  const bool judged = !loads.sla.terms.empty();
  std::vector<Table::Column> columns = {{"load", Align::kLeft},
                                        {"done/s"},
                                        {"out"},
                                        {"TTFT P50"},
                                        {"P99"},
                                        {"TPOT P50"},
                                        {"P99"},
                                        {"E2E P50"},
                                        {"P99 ms"},
                                        {"tok/s"},
                                        {"a user"},
                                        {"n"},
                                        {"failed"}};
  if (judged) {
    columns.insert(columns.end(), {{"SLA met"}, {"95 % interval"}, {"verdict", Align::kLeft}});
  }
  columns.push_back({"curve", Align::kLeft});
  Table table(columns);
  for (std::size_t i = 0; i < loads.result.steps.size(); ++i) {
    const StepResult& step = loads.result.steps[i];
    const measure::Summary& s = step.summary;
    std::vector<std::string> cells = {to_text(step.load),
                                      number(step.completed_per_s),
                                      number(step.mean_out),
                                      percentile_text(s.ttft_ms.p50),
                                      percentile_text(s.ttft_ms.p99),
                                      percentile_text(s.tpot_ms.p50),
                                      percentile_text(s.tpot_ms.p99),
                                      percentile_text(s.e2e_ms.p50),
                                      percentile_text(s.e2e_ms.p99),
                                      number(step.output_tokens_per_s()),
                                      number(step.tokens_per_s_per_user()),
                                      fmt::format("{}", s.due),
                                      fmt::format("{}", s.failed)};
    if (judged) {
      cells.insert(cells.end(),
                   {share(step.figures.sla.good().requests()), interval(step), verdict(step)});
    }
    cells.push_back(on_curve(loads.result, i));
    table.add(cells);
  }
  return table.to_text();
}

std::string value_text(Load::Kind kind, double value) { return to_text(Load{kind, value, {}}); }

std::string found_text(const Loads& loads) {
  const LoadStudyResult& result = loads.result;
  const Load::Kind kind = *loads.sought;
  if (!result.best) {
    const std::string tried =
        result.least_missed ? ", down to " + value_text(kind, *result.least_missed) : "";
    return "largest load  none that was tried meets the SLA" + tried + "\n";
  }
  const StepResult& best = result.steps[*result.best];
  std::string text =
      fmt::format("largest load  {} {}\n", to_text(best.load),
                  result.confirmed
                      ? fmt::format("meets the SLA ({:.0f} s of it)", base::to_seconds(best.window))
                      : "most likely meets the SLA; not enough was measured to be "
                        "sure");
  text += "              " + best.finding.reason.text_en + "\n";
  text += result.least_missed
              ? fmt::format("next above     {} does not, or not surely\n",
                            value_text(kind, *result.least_missed))
              : "next above     not tried: it meets the SLA up to the bound of the search\n";
  return text;
}

std::string knees_text(const LoadStudyResult& result) {
  std::string text;
  for (const study::LoadCurve& curve : result.curves) {
    const std::string of = curve.input_len ? fmt::format("{} tok in: ", *curve.input_len) : "";
    text += "knee          " + of + knee_text(curve, result.steps).text_en + "\n";
    if (const auto at = curve.knee_step()) {
      const StepResult& step = result.steps[*at];
      text += fmt::format(
          "              {} tok/s to all and {} to a user, TTFT P50 {} ms, E2E P50 {} ms\n",
          number(step.output_tokens_per_s()), number(step.tokens_per_s_per_user()),
          percentile_text(step.summary.ttft_ms.p50), percentile_text(step.summary.e2e_ms.p50));
    }
  }
  return text;
}

std::string end_text(const Loads& loads) {
  const LoadStudyResult& result = loads.result;
  std::string text = fmt::format("took          {:.0f} s", base::to_seconds(result.took));
  if (result.spent) {
    text += ", " + result.spent->rounded(6).to_text();
  }
  switch (result.end) {
    case End::kDone:
      break;
    case End::kTimeOver:
      text += "; the time was over before all was known";
      break;
    case End::kMoneyOver:
      text += "; the money was over before all was known";
      break;
    case End::kInterrupted:
      text += "; interrupted";
      break;
    case End::kFailed:
      text += "; ended by: " + base::to_line(*result.failure);
      break;
  }
  return text + "\n";
}

std::string doubts(const Loads& loads) {
  if (loads.result.steps.empty()) {
    return "";
  }
  const StepResult* worst = nullptr;
  int doubtful = 0;
  for (const StepResult& step : loads.result.steps) {
    if (step.certificate.verdict != measure::Certificate::Verdict::kValid) {
      ++doubtful;
      worst =
          worst == nullptr || worst->certificate.verdict < step.certificate.verdict ? &step : worst;
    }
  }
  std::string test;
  if (const auto& self_test = loads.result.steps.front().certificate.self_test) {
    test = "self-test     " + self_test_text(*self_test) + "\n";
  }
  if (worst == nullptr) {
    return "client        valid in every step\n" + test;
  }
  return test +
         fmt::format("client        not valid in {} of {} steps; {} at {}: {}\n", doubtful,
                     loads.result.steps.size(), name_of(worst->certificate.verdict),
                     to_text(worst->load),
                     worst->certificate.reasons.empty() ? "" : worst->certificate.reasons.front());
}

}  // namespace

std::string loads_text(const Loads& loads) {
  const LoadStudyResult& result = loads.result;
  std::string text =
      fmt::format("endpoint      {}\nmodel         {}\n", loads.base_url, loads.model);
  if (!result.steps.empty() && !result.steps.front().report.emulated_by.empty()) {
    text += fmt::format("EMULATED      by '{}': no platform was measured\n",
                        result.steps.front().report.emulated_by);
  }
  for (const quantity::SlaTerm& term : loads.sla.terms) {
    text += fmt::format("SLA           {}\n", to_text(term));
  }
  if (!loads.sla.terms.empty()) {
    text += fmt::format("target        {} of requests for terms without a percentile\n",
                        share(loads.sla.target));
  }
  text += "\n" + table_text(loads) + "\n";
  if (loads.sought) {
    text += found_text(loads);
  }
  return text + knees_text(result) + end_text(loads) + doubts(loads);
}

}  // namespace steelyard::report
