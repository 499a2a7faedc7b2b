#include "report/svg.h"

#include <fmt/format.h>

#include "base/text.h"

namespace steelyard::report {
namespace {

constexpr std::string_view kReplaced = "\xEF\xBF\xBD";

std::string stroke(std::string_view colour) {
  return colour.empty() ? "" : fmt::format(" stroke=\"{}\"", colour);
}

std::string_view name_of(Anchor anchor) {
  switch (anchor) {
    case Anchor::kStart:
      return "start";
    case Anchor::kMiddle:
      return "middle";
    case Anchor::kEnd:
      break;
  }
  return "end";
}

// Around 0, 0.
std::string_view path_of(Marker shape) {
  switch (shape) {
    case Marker::kCircle:
      return "M-4,0a4,4 0 1,0 8,0a4,4 0 1,0 -8,0z";
    case Marker::kSquare:
      return "M-3.5,-3.5h7v7h-7z";
    case Marker::kDiamond:
      return "M0,-5l5,5l-5,5l-5,-5z";
    case Marker::kTriangle:
      return "M0,-5l4.6,8h-9.2z";
    case Marker::kUpsideDown:
      return "M0,5l4.6,-8h-9.2z";
    case Marker::kCross:
      break;
  }
  return "M-1.5,-4.5h3v3h3v3h-3v3h-3v-3h-3v-3h3z";
}

}  // namespace

std::string xml_text(std::string_view text) {
  const std::string valid = base::valid_utf8(text);
  std::string escaped;
  for (std::size_t i = 0; i < valid.size(); ++i) {
    const char c = valid[i];
    const std::string_view rest = std::string_view(valid).substr(i, 3);
    if (c == '&') {
      escaped += "&amp;";
    } else if (c == '<') {
      escaped += "&lt;";
    } else if (c == '>') {
      escaped += "&gt;";
    } else if (c == '"') {
      escaped += "&quot;";
    } else if (static_cast<unsigned char>(c) < 0x20) {
      escaped += kReplaced;
    } else if (rest == "\xEF\xBF\xBE" || rest == "\xEF\xBF\xBF") {  // U+FFFE, U+FFFF
      escaped += kReplaced;
      i += 2;
    } else {
      escaped += c;
    }
  }
  return escaped;
}

void Svg::line(SvgPoint from, SvgPoint to, std::string_view of_class, std::string_view colour) {
  body_ += fmt::format(
      "<line class=\"{}\" x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\"{}/>\n", of_class,
      from.x, from.y, to.x, to.y, stroke(colour));
}

void Svg::polyline(std::span<const SvgPoint> points, std::string_view of_class,
                   std::string_view colour) {
  std::string path;
  for (const SvgPoint& point : points) {
    path += fmt::format("{}{:.1f},{:.1f}", path.empty() ? "" : " ", point.x, point.y);
  }
  body_ +=
      fmt::format("<polyline class=\"{}\" points=\"{}\"{}/>\n", of_class, path, stroke(colour));
}

void Svg::rect(SvgPoint corner, double width, double height, std::string_view of_class) {
  body_ += fmt::format(
      "<rect class=\"{}\" x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\"/>\n",
      of_class, corner.x, corner.y, width, height);
}

void Svg::ring(SvgPoint middle, double radius, std::string_view of_class) {
  body_ += fmt::format("<circle class=\"{}\" cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"{:.1f}\"/>\n",
                       of_class, middle.x, middle.y, radius);
}

void Svg::marker(Marker shape, SvgPoint middle, std::string_view colour, bool filled) {
  body_ += fmt::format(
      "<path class=\"marker\" transform=\"translate({:.1f},{:.1f})\" d=\"{}\" stroke=\"{}\" "
      "fill=\"{}\"/>\n",
      middle.x, middle.y, path_of(shape), colour, filled ? colour : "#ffffff");
}

void Svg::text(SvgPoint at, std::string_view text, std::string_view of_class, Anchor anchor) {
  body_ +=
      fmt::format("<text class=\"{}\" x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\">{}</text>\n",
                  of_class, at.x, at.y, name_of(anchor), xml_text(text));
}

void Svg::text_upwards(SvgPoint at, std::string_view text, std::string_view of_class) {
  body_ += fmt::format(
      "<text class=\"{}\" transform=\"translate({:.1f},{:.1f}) rotate(-90)\" "
      "text-anchor=\"middle\">{}</text>\n",
      of_class, at.x, at.y, xml_text(text));
}

std::string Svg::finish(const Head& head) const {
  return fmt::format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0:.0f}\" height=\"{1:.0f}\" "
      "viewBox=\"0 0 {0:.0f} {1:.0f}\" role=\"img\" aria-labelledby=\"title description\" "
      "xml:lang=\"{2}\">\n"
      "<title id=\"title\">{3}</title>\n<desc id=\"description\">{4}</desc>\n"
      "<style>{5}</style>\n{6}</svg>\n",
      head.width, head.height, xml_text(head.language), xml_text(head.title),
      xml_text(head.description), head.style, body_);
}

}  // namespace steelyard::report
