#include "report/curve_panel.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "base/text.h"
#include "report/axis.h"
#include "report/figures.h"

namespace steelyard::report {
namespace {

using Dot = CurvePanel::Dot;
using Line = CurvePanel::Line;
using Value = CurvePanel::Value;

constexpr double kLeft = 62;  // of the plot, within the panel
constexpr double kRight = 16;
constexpr double kTop = 30;
constexpr double kBottom = 46;
constexpr double kLetter = 6.4;  // of a label, about
constexpr double kLabelHeight = 12;
constexpr double kCap = 3;        // of an interval's end
constexpr double kOpenStub = 13;  // of an end that is not known

void take(std::vector<double>& values, const Value& value) {
  values.push_back(value.value);
  values.push_back(value.low.value_or(value.value));
  values.push_back(value.high.value_or(value.value));
}

std::vector<double> values_of(const CurvePanel& panel, bool of_x) {
  std::vector<double> values;
  for (const Line& line : panel.lines) {
    for (const Dot& dot : line.dots) {
      take(values, of_x ? dot.x : dot.y);
    }
  }
  for (const CurvePanel::Limit& limit : panel.limits) {
    if (limit.of_x == of_x) {
      values.push_back(limit.value);
    }
  }
  return values;
}

class Drawing {
 public:
  Drawing(Svg& svg, SvgPoint corner, double width, double height, const CurvePanel& panel)
      : svg_(svg),
        panel_(panel),
        left_(corner.x + kLeft),
        right_(corner.x + width - kRight),
        top_(corner.y + kTop),
        bottom_(corner.y + height - kBottom),
        x_(values_of(panel, true), false, left_, right_),
        y_(values_of(panel, false), panel.may_be_log, bottom_, top_) {}

  void frame() {
    svg_.text({left_, top_ - 12}, panel_.title, "panel");
    for (const double tick : y_.ticks()) {
      svg_.line({left_, y_.at(tick)}, {right_, y_.at(tick)}, "grid");
      svg_.text({left_ - 6, y_.at(tick) + 4}, number(tick), "tick", Anchor::kEnd);
    }
    for (const double tick : x_.ticks()) {
      svg_.line({x_.at(tick), bottom_}, {x_.at(tick), bottom_ + 4}, "axis");
      svg_.text({x_.at(tick), bottom_ + 17}, number(tick), "tick", Anchor::kMiddle);
    }
    svg_.line({left_, bottom_}, {right_, bottom_}, "axis");
    svg_.line({left_, top_}, {left_, bottom_}, "axis");
    svg_.text({(left_ + right_) / 2, bottom_ + 36}, panel_.x_label, "label", Anchor::kMiddle);
    const bool log = y_.scale() == Axis::Scale::kLog;
    svg_.text_upwards({left_ - 48, (top_ + bottom_) / 2},
                      panel_.y_label + (log ? panel_.log_note : ""), "label");
  }

  void limits() {
    for (const CurvePanel::Limit& limit : panel_.limits) {
      if (limit.of_x) {
        const double at = x_.at(limit.value);
        svg_.line({at, top_}, {at, bottom_}, "limit");
        svg_.text({at + 4, bottom_ - 6}, limit.label, "limit-label");
      } else {
        const double at = y_.at(limit.value);
        svg_.line({left_, at}, {right_, at}, "limit");
        svg_.text({left_ + 6, at - 4}, limit.label, "limit-label");
      }
    }
  }

  // Under the lines, so that nothing is hidden.
  void knee_within(const Line& line) {
    if (!line.within) {
      return;
    }
    std::vector<SvgPoint> points;
    for (std::size_t i = line.within->first; i <= line.within->second; ++i) {
      points.push_back(at(line.dots[i]));
    }
    svg_.polyline(points, "within", line.colour);
  }

  void lines(const Line& line) {
    std::vector<SvgPoint> points;
    points.reserve(line.dots.size());
    for (const Dot& dot : line.dots) {
      points.push_back(at(dot));
    }
    svg_.polyline(points, line.dashed ? "line dashed" : "line", line.colour);
    for (const Dot& dot : line.dots) {
      interval(dot, line.colour);
    }
    for (const Dot& dot : line.dots) {
      svg_.marker(line.marker, at(dot), line.colour, dot.filled && !line.dashed);
    }
    if (line.knee) {
      svg_.ring(at(line.dots[*line.knee]), 10, "knee");
    }
  }

  // Where there is room for it: right of the dot, left of it, below. Else it is left out.
  void labels(const Line& line) {
    for (const Dot& dot : line.dots) {
      const SvgPoint point = at(dot);
      const double width = kLetter * static_cast<double>(base::display_width(dot.label));
      const std::array<Box, 4> places = {{{point.x + 9, point.y - 18, width},
                                          {point.x - 9 - width, point.y - 18, width},
                                          {point.x + 9, point.y + 6, width},
                                          {point.x - 9 - width, point.y + 6, width}}};
      for (const Box& place : places) {
        const bool free =
            std::ranges::none_of(labels_, [&](const Box& other) { return overlap(place, other); });
        if (free && place.x >= left_ && place.x + width <= right_ + kRight) {
          svg_.text({place.x, place.y + 10}, dot.label, "load");
          labels_.push_back(place);
          break;
        }
      }
    }
  }

  void nothing() {
    svg_.text({(left_ + right_) / 2, (top_ + bottom_) / 2}, panel_.no_value, "label",
              Anchor::kMiddle);
  }

 private:
  struct Box {  // of a label, from its upper left
    double x;
    double y;
    double width;
  };
  static bool overlap(const Box& a, const Box& b) {
    return a.x < b.x + b.width && b.x < a.x + a.width && std::abs(a.y - b.y) < kLabelHeight;
  }

  [[nodiscard]] SvgPoint at(const Dot& dot) const {
    return {x_.at(dot.x.value), y_.at(dot.y.value)};
  }

  void end(SvgPoint from, SvgPoint to, const std::string& colour) {
    svg_.line(from, to, "bar", colour);
    const bool upright = from.x == to.x;
    const SvgPoint off = upright ? SvgPoint{kCap, 0} : SvgPoint{0, kCap};
    svg_.line({to.x - off.x, to.y - off.y}, {to.x + off.x, to.y + off.y}, "bar", colour);
  }

  // The ends that are known; of one that is open a dotted beginning.
  void interval(const Dot& dot, const std::string& colour) {
    const SvgPoint from = at(dot);
    for (const auto& [low, side] : {std::pair(dot.y.low, 1.0), std::pair(dot.y.high, -1.0)}) {
      if (low) {
        end(from, {from.x, y_.at(*low)}, colour);
      } else if (!dot.y.bounded) {
        svg_.line(from, {from.x, std::clamp(from.y + side * kOpenStub, top_, bottom_)}, "open",
                  colour);
      }
    }
    for (const auto& side : {dot.x.low, dot.x.high}) {
      if (side) {
        end(from, {x_.at(*side), from.y}, colour);
      }
    }
  }

  Svg& svg_;
  const CurvePanel& panel_;
  double left_, right_, top_, bottom_;
  Axis x_;
  Axis y_;
  std::vector<Box> labels_;
};

}  // namespace

void draw(Svg& svg, SvgPoint corner, double width, double height, const CurvePanel& panel) {
  Drawing drawing(svg, corner, width, height, panel);
  drawing.frame();
  bool any = false;
  for (const Line& line : panel.lines) {
    drawing.knee_within(line);
    any = any || !line.dots.empty();
  }
  drawing.limits();
  for (const Line& line : panel.lines) {
    drawing.lines(line);
  }
  for (const Line& line : panel.lines) {
    drawing.labels(line);
  }
  if (!any) {
    drawing.nothing();
  }
}

std::string_view curve_panel_style() {
  return ".panel{font-weight:600;font-size:14px}.label{fill:#5d6267}.tick{fill:#5d6267;font-size:"
         "11px}"
         ".load{font-size:11px}.grid{stroke:#dcd8cf;stroke-width:1}.axis{stroke:#1c1e20;stroke-"
         "width:1}"
         ".limit{stroke:#a3360d;stroke-width:1.5;stroke-dasharray:9 3 2 3}"
         ".limit-label{fill:#a3360d;font-size:11px}.line{fill:none;stroke-width:1.8}"
         ".dashed{stroke-width:1.3;stroke-dasharray:5 4}.marker{stroke-width:1.5}"
         ".bar{stroke-width:1}.open{stroke-width:1.2;stroke-dasharray:1.5 2.5}"
         ".within{fill:none;stroke-width:14;stroke-opacity:0.16;stroke-linecap:round;"
         "stroke-linejoin:round}.knee{fill:none;stroke:#1c1e20;stroke-width:2}";
}

}  // namespace steelyard::report
