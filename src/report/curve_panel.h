// One panel of a chart of loads: lines of measured points with their intervals, limits, and the
// knee.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "report/svg.h"

namespace steelyard::report {

struct CurvePanel {
  struct Value {
    double value = 0;
    std::optional<double> low{};
    std::optional<double> high{};
    bool bounded = true;  // false: an absent end is open, and is drawn so
  };
  struct Dot {
    Value x;
    Value y;
    std::string label{};
    bool filled = true;
  };
  struct Line {
    std::vector<Dot> dots;  // joined in this order
    std::string colour;
    Marker marker = Marker::kCircle;
    bool dashed = false;
    std::optional<std::size_t> knee{};                            // a dot
    std::optional<std::pair<std::size_t, std::size_t>> within{};  // the dots that it lies between
  };
  struct Limit {
    double value = 0;
    std::string label;
    bool of_x = false;
  };
  std::string title;
  std::string x_label;
  std::string y_label;
  std::string log_note;  // added to the label of a logarithmic axis
  std::string no_value;  // said where there is no dot
  std::vector<Line> lines;
  std::vector<Limit> limits;
  bool may_be_log = true;  // the upright axis
};

// Within the rectangle.
void draw(Svg& svg, SvgPoint corner, double width, double height, const CurvePanel& panel);

// What a style sheet has to say of it.
[[nodiscard]] std::string_view curve_panel_style();

}  // namespace steelyard::report
