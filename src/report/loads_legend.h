// How the curves of loads_svg.cc look, and the line that says so.
#pragma once

#include <cstddef>
#include <string_view>

#include "report/loads.h"
#include "report/loads_words.h"
#include "report/svg.h"

namespace steelyard::report {

struct Look {
  std::string_view colour;
  Marker marker;
};
// Of the curves in their order; beyond the sixth they begin anew.
[[nodiscard]] const Look& look_of(std::size_t curve);

// One line, from `at` on: what is drawn how.
void draw_legend(Svg& svg, SvgPoint at, const Loads& loads, const LoadsWords& words);

}  // namespace steelyard::report
