#include "report/loads_legend.h"

#include <fmt/format.h>

#include <array>
#include <vector>

#include "base/text.h"

namespace steelyard::report {
namespace {

constexpr std::array<Look, 6> kLooks = {{{"#2046bb", Marker::kCircle},
                                         {"#cd7c10", Marker::kSquare},
                                         {"#00a060", Marker::kDiamond},
                                         {"#7e1671", Marker::kTriangle},
                                         {"#5e4c00", Marker::kUpsideDown},
                                         {"#8b8e9f", Marker::kCross}}};

constexpr double kColumn = 6.6;  // of the text's columns
constexpr double kGap = 14;
constexpr double kUp = -4;  // from the text's foot to its middle

// Writes one sign after the other, each with its words.
class Legend {
 public:
  Legend(Svg& svg, SvgPoint at) : svg_(svg), x_(at.x), y_(at.y) {}

  void curve(const Look& look, std::string_view words) {
    svg_.marker(look.marker, {x_ + 5, y_ + kUp}, look.colour, true);
    say(14, words);
  }
  void percentile(const Look& look, bool median, std::string_view words) {
    stroke(0, 30, median ? "line" : "line dashed", look.colour);
    svg_.marker(look.marker, {x_ + 15, y_ + kUp}, look.colour, median);
    say(35, words);
  }
  void knee(std::string_view words) {
    svg_.ring({x_ + 8, y_ + kUp}, 7, "knee");
    say(20, words);
  }
  void band(const Look& look, std::string_view words) {
    stroke(8, 28, "within", look.colour);
    say(40, words);
  }
  // Words behind a sign of that width.
  void say(double sign, std::string_view words) {
    x_ += sign;
    svg_.text({x_, y_}, words, "muted");
    x_ += kColumn * static_cast<double>(base::display_width(words)) + kGap;
  }

 private:
  void stroke(double from, double to, std::string_view of_class, std::string_view colour) {
    const std::vector<SvgPoint> points = {{x_ + from, y_ + kUp}, {x_ + to, y_ + kUp}};
    svg_.polyline(points, of_class, colour);
  }

  Svg& svg_;
  double x_;
  double y_;
};

// Whether each curve has an input length of its own.
bool swept_input(const Loads& loads) {
  return !loads.result.curves.empty() && loads.result.curves.front().input_len.has_value();
}

}  // namespace

const Look& look_of(std::size_t curve) { return kLooks[curve % kLooks.size()]; }

void draw_legend(Svg& svg, SvgPoint at, const Loads& loads, const LoadsWords& words) {
  Legend legend(svg, at);
  const auto& curves = loads.result.curves;
  for (std::size_t i = 0; swept_input(loads) && i < curves.size(); ++i) {
    legend.curve(look_of(i), fmt::format(fmt::runtime(words.input), *curves[i].input_len));
  }
  legend.percentile(look_of(0), true, words.p50);
  legend.percentile(look_of(0), false, words.p99);
  legend.knee(words.ring);
  legend.band(look_of(0), words.band);
  const auto& steps = loads.result.steps;
  const bool open = !steps.empty() && steps.front().load.open_loop();
  legend.say(0, open ? words.per_second : words.at_once);
  if (!loads.sla.terms.empty()) {
    legend.say(0, words.misses);
  }
}

}  // namespace steelyard::report
