// Drawing as SVG 1.1: one file with its style inside, no script, no font and no picture from
// outside.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace steelyard::report {

// Text between tags or in an attribute. What XML 1.0 cannot hold becomes U+FFFD.
[[nodiscard]] std::string xml_text(std::string_view text);

struct SvgPoint {  // from the upper left, in pixels
  double x = 0;
  double y = 0;
};

enum class Marker : std::uint8_t { kCircle, kSquare, kDiamond, kTriangle, kUpsideDown, kCross };
enum class Anchor : std::uint8_t { kStart, kMiddle, kEnd };

// Each shape has a class of the style sheet; `colour` ("#rrggbb", "" for the class's own) is its
// stroke.
class Svg {
 public:
  void line(SvgPoint from, SvgPoint to, std::string_view of_class, std::string_view colour = "");
  void polyline(std::span<const SvgPoint> points, std::string_view of_class,
                std::string_view colour = "");
  void rect(SvgPoint corner, double width, double height, std::string_view of_class);
  void ring(SvgPoint middle, double radius, std::string_view of_class);
  // Filled with its colour, or open.
  void marker(Marker shape, SvgPoint middle, std::string_view colour, bool filled);
  void text(SvgPoint at, std::string_view text, std::string_view of_class,
            Anchor anchor = Anchor::kStart);
  // Read upwards.
  void text_upwards(SvgPoint at, std::string_view text, std::string_view of_class);

  struct Head {
    double width = 0;
    double height = 0;
    std::string title;        // for those who hear it
    std::string description;  // the same
    std::string language;     // "en"
    std::string style;        // CSS
  };
  // The whole file.
  [[nodiscard]] std::string finish(const Head& head) const;

 private:
  std::string body_;
};

}  // namespace steelyard::report
