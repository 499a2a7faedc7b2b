#include <fmt/format.h>

#include <array>
#include <cmath>

#include "base/text.h"
#include "report/curve_panel.h"
#include "report/figures.h"
#include "report/loads.h"
#include "report/loads_legend.h"
#include "report/loads_words.h"

namespace steelyard::report {
namespace {

using study::LoadCurve;
using study::StepResult;

constexpr double kWidth = 1000;
constexpr double kMargin = 24;
constexpr double kBetween = 24;
constexpr double kPanelHeight = 300;
constexpr double kLineHeight = 18;
constexpr std::size_t kTextColumns = 150;  // of a line across the sheet

template <typename... Values>
std::string fill(std::string_view pattern, const Values&... values) {
  return fmt::format(fmt::runtime(pattern), values...);
}

bool has_tokens(const study::LoadStudyResult& result) {
  return std::ranges::any_of(
      result.steps, [](const StepResult& step) { return step.output_tokens_per_s().has_value(); });
}

std::string load_label(const StepResult& step) {
  const std::string load = fmt::format("{:.4g}", step.load.value);
  return step.finding.verdict == study::StepVerdict::kMisses ? load + " ×" : load;
}

CurvePanel::Value value_of(const measure::Estimate& estimate) {
  return {estimate.value, estimate.low(), estimate.high()};
}
CurvePanel::Value value_of(const measure::Percentile& percentile) {
  return {percentile.value, percentile.low, percentile.high, false};
}

// Of all users: tokens, or requests where no tokens are known.
std::optional<CurvePanel::Value> throughput(const StepResult& step, bool tokens) {
  if (tokens) {
    const auto& rate = step.flow.output_tokens_per_s;
    return rate ? std::optional(value_of(*rate)) : std::nullopt;
  }
  return step.completed_per_s ? std::optional(CurvePanel::Value{*step.completed_per_s})
                              : std::nullopt;
}

std::optional<CurvePanel::Value> pace(const StepResult& step) {
  const auto median = step.tokens_per_s_per_user();
  if (!median) {
    return std::nullopt;
  }
  const auto& tpot = step.summary.tpot_ms.p50;
  return CurvePanel::Value{*median, study::tokens_per_s(tpot->high),
                           study::tokens_per_s(tpot->low)};
}

class Sheet {
 public:
  Sheet(const Loads& loads, Language language)
      : loads_(loads),
        language_(language),
        words_(loads_words(language)),
        tokens_(has_tokens(loads.result)) {}

  std::string draw_all() {
    head();
    y_ += kLineHeight + 6;
    draw_legend(svg_, {kMargin, y_}, loads_, words_);
    y_ += 14;
    const double width = (kWidth - 2 * kMargin - kBetween) / 2;
    const double right = kMargin + width + kBetween;
    const std::array<CurvePanel, 4> panels = {
        latency_panel("TTFT", quantity::Metric::kTtft, &measure::Summary::ttft_ms),
        latency_panel("TPOT", quantity::Metric::kTpot, &measure::Summary::tpot_ms),
        latency_panel("E2E", quantity::Metric::kE2e, &measure::Summary::e2e_ms), frontier_panel()};
    for (std::size_t i = 0; i < panels.size(); ++i) {
      const double x = i % 2 == 0 ? kMargin : right;
      draw(svg_, {x, y_ + (i < 2 ? 0 : kPanelHeight + 8)}, width, kPanelHeight, panels[i]);
    }
    y_ += 2 * kPanelHeight + 8;
    foot();
    return svg_.finish({kWidth, y_ + kMargin, std::string(words_.title), description(),
                        std::string(words_.language), style()});
  }

 private:
  static std::string style() {
    return "text{font:12px \"Helvetica Neue\",Arial,\"Liberation Sans\",\"PingFang "
           "SC\",\"Microsoft "
           "YaHei\",\"Noto Sans CJK SC\",\"WenQuanYi Micro Hei\",sans-serif;fill:#1c1e20}"
           ".paper{fill:#ffffff}.title{font-size:20px;font-weight:600}.muted{fill:#5d6267}"
           ".caution{fill:#a3360d;font-weight:600}.strong{font-weight:600}" +
           std::string(curve_panel_style());
  }

  void sentence(std::string_view text, std::string_view of_class) {
    y_ += kLineHeight;
    svg_.text({kMargin, y_}, base::shorten(text, kTextColumns), of_class);
  }

  void head() {
    svg_.rect({0, 0}, kWidth, kHighest, "paper");
    y_ = kMargin + 2;
    sentence(
        loads_.label.empty() ? words_.title : fmt::format("{} · {}", words_.title, loads_.label),
        "title");
    sentence(fmt::format("{} · {} · {} UTC · steelyard {}", loads_.model, loads_.base_url,
                         loads_.date, loads_.steelyard_version),
             "muted");
    const auto& steps = loads_.result.steps;
    if (!steps.empty() && !steps.front().report.emulated_by.empty()) {
      sentence(fill(words_.emulated, steps.front().report.emulated_by), "caution");
    }
    if (!loads_.sla.terms.empty()) {
      std::vector<std::string> terms;
      terms.reserve(loads_.sla.terms.size());
      for (const quantity::SlaTerm& term : loads_.sla.terms) {
        terms.push_back(to_text(term));
      }
      sentence(std::string(words_.sla) + base::join(terms, ", ") +
                   fill(words_.target, fmt::format("{:.4g} %", 100 * loads_.sla.target)),
               "");
    }
    for (const LoadCurve& curve : loads_.result.curves) {
      sentence(knee_line(curve), "strong");
    }
  }

  [[nodiscard]] std::string knee_line(const LoadCurve& curve) const {
    const std::string of = curve.input_len ? fill(words_.input, *curve.input_len) + " · " : "";
    return of + std::string(words_.knee) + in(knee_text(curve, loads_.result.steps), language_);
  }

  [[nodiscard]] std::string description() const {
    std::vector<std::string> knees;
    knees.reserve(loads_.result.curves.size());
    for (const LoadCurve& curve : loads_.result.curves) {
      knees.push_back(knee_line(curve));
    }
    return base::join(knees, "; ");
  }

  void foot() {
    for (const std::string& line : lines_of(words_.bars)) {
      sentence(line, "muted");
    }
  }

  // At spaces; Chinese has none to speak of, and is broken by width.
  static std::vector<std::string> lines_of(std::string_view text) {
    std::vector<std::string> lines(1);
    for (const std::string_view word : base::split(text, ' ')) {
      std::string& line = lines.back();
      if (!line.empty() &&
          base::display_width(line) + 1 + base::display_width(word) > kTextColumns - 5) {
        lines.emplace_back(word);
      } else {
        line += (line.empty() ? "" : " ") + std::string(word);
      }
    }
    return lines;
  }

  [[nodiscard]] CurvePanel empty_panel(std::string_view title) const {
    CurvePanel panel;
    panel.title = title;
    panel.x_label = tokens_ ? words_.all_tokens : words_.all_requests;
    panel.log_note = words_.log;
    panel.no_value = words_.no_value;
    return panel;
  }

  // Its dots, and which of them are the knee and its neighbours. `dot_of`: absent where the step
  // lacks a figure.
  template <typename DotOf>
  [[nodiscard]] CurvePanel::Line line_of(std::size_t which, DotOf dot_of) const {
    const LoadCurve& curve = loads_.result.curves[which];
    const Look& look = look_of(which);
    CurvePanel::Line line;
    line.colour = look.colour;
    line.marker = look.marker;
    std::optional<std::size_t> above;
    std::optional<std::size_t> below;
    for (const std::size_t step : curve.steps) {
      auto dot = dot_of(step);
      if (!dot) {
        continue;
      }
      const std::size_t at = line.dots.size();
      line.dots.push_back(std::move(*dot));
      line.knee = curve.knee_step() == step ? std::optional(at) : line.knee;
      above = curve.knee.above == step ? std::optional(at) : above;
      below = curve.knee.below == step ? std::optional(at) : below;
    }
    if (line.knee && below) {
      line.within = std::pair(above.value_or(*line.knee), *below);
    }
    return line;
  }

  [[nodiscard]] CurvePanel latency_panel(std::string_view name, quantity::Metric metric,
                                         measure::Distribution measure::Summary::* which) const {
    CurvePanel panel = empty_panel(name);
    panel.y_label = fill(words_.milliseconds, name);
    for (std::size_t i = 0; i < loads_.result.curves.size(); ++i) {
      for (const bool median : {false, true}) {
        CurvePanel::Line line =
            line_of(i, [&](std::size_t index) -> std::optional<CurvePanel::Dot> {
              const StepResult& step = loads_.result.steps[index];
              const measure::Distribution& latency = step.summary.*which;
              const auto& percentile = median ? latency.p50 : latency.p99;
              const auto x = throughput(step, tokens_);
              if (!x || !percentile) {
                return std::nullopt;
              }
              return CurvePanel::Dot{*x, value_of(*percentile), median ? load_label(step) : ""};
            });
        line.dashed = !median;
        if (!median) {
          line.knee.reset();
          line.within.reset();
        }
        panel.lines.push_back(std::move(line));
      }
    }
    for (const quantity::SlaTerm& term : loads_.sla.terms) {
      if (term.metric == metric) {
        panel.limits.push_back({static_cast<double>(term.threshold) / 1e6, to_text(term)});
      }
    }
    return panel;
  }

  [[nodiscard]] CurvePanel frontier_panel() const {
    CurvePanel panel = empty_panel(fmt::format("{} ({})", words_.frontier, words_.not_on_frontier));
    panel.x_label = words_.one_user;
    panel.y_label = words_.all_tokens;
    panel.may_be_log = false;
    for (std::size_t i = 0; i < loads_.result.curves.size(); ++i) {
      panel.lines.push_back(line_of(i, [&](std::size_t index) -> std::optional<CurvePanel::Dot> {
        const StepResult& step = loads_.result.steps[index];
        const auto all = throughput(step, true);
        const auto user = pace(step);
        if (!all || !user) {
          return std::nullopt;
        }
        return CurvePanel::Dot{*user, *all, load_label(step),
                               loads_.result.curves[i].on_frontier(index)};
      }));
    }
    for (const quantity::SlaTerm& term : loads_.sla.terms) {
      if (term.metric == quantity::Metric::kTpot) {
        panel.limits.push_back({1e9 / static_cast<double>(term.threshold), to_text(term), true});
      }
    }
    return panel;
  }

  static constexpr double kHighest = 5'000;  // the paper; what lies below the sheet is not shown
  const Loads& loads_;
  Language language_;
  const LoadsWords& words_;
  bool tokens_;
  Svg svg_;
  double y_ = 0;
};

}  // namespace

std::string loads_svg(const Loads& loads, Language language) {
  return Sheet(loads, language).draw_all();
}

}  // namespace steelyard::report
