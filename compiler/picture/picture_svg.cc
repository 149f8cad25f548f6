#include "picture/picture_svg.h"

#include <algorithm>
#include <map>

#include "picture/box_ids.h"
#include "picture/box_layout.h"
#include "picture/picture_text.h"

namespace trainyard {
namespace {

constexpr Metrics kMetrics;

constexpr std::string_view kStyle =
    "  <style>\n"
    "    svg { background: #ffffff; font: 12px ui-monospace, Menlo, Consolas, monospace; }\n"
    "    text { fill: #1f2328; white-space: pre; }\n"
    "    .t { font-weight: bold; font-size: 13px; }\n"
    "    .a { fill: none; stroke: #59636e; stroke-width: 1.5; }\n"
    "    .h { fill: #59636e; }\n"
    "    .l { fill: #59636e; paint-order: stroke; stroke: #ffffff; stroke-width: 4; }\n"
    "    rect { stroke: #818b98; fill: #f6f8fa; }\n"
    "    .pods { fill: #ddf4ff; stroke: #0969da; }\n"
    "    .queue { fill: #fff8c5; stroke: #9a6700; }\n"
    "    .volume { fill: #dafbe1; stroke: #1a7f37; }\n"
    "    .pool { fill: #fbefff; stroke: #8250df; }\n"
    "    .job { fill: #ddf4ff; stroke: #0969da; }\n"
    "    @media (prefers-color-scheme: dark) {\n"
    "      svg { background: #0d1117; }\n"
    "      text { fill: #f0f6fc; }\n"
    "      .a { stroke: #9198a1; }\n"
    "      .h { fill: #9198a1; }\n"
    "      .l { fill: #9198a1; stroke: #0d1117; }\n"
    "      rect { stroke: #656c76; fill: #151b23; }\n"
    "      .pods { fill: #121d2f; stroke: #4493f8; }\n"
    "      .queue { fill: #272115; stroke: #d29922; }\n"
    "      .volume { fill: #12261e; stroke: #3fb950; }\n"
    "      .pool { fill: #1e1a2e; stroke: #ab7df8; }\n"
    "      .job { fill: #121d2f; stroke: #4493f8; }\n"
    "    }\n"
    "  </style>\n"
    "  <defs><marker id=\"head\" viewBox=\"0 0 8 8\" refX=\"7\" refY=\"4\" markerWidth=\"8\" "
    "markerHeight=\"8\" orient=\"auto\"><path class=\"h\" d=\"M0 0 L8 4 L0 8 z\"/></marker></defs>"
    "\n";

std::string_view class_of(BoxKind kind) {
  switch (kind) {
    case BoxKind::Pods:
      return "pods";
    case BoxKind::Queue:
      return "queue";
    case BoxKind::Volume:
      return "volume";
    case BoxKind::Pool:
      return "pool";
    case BoxKind::Job:
      return "job";
    case BoxKind::Role:
      break;
  }
  return "role";
}

/// Control characters are in no XML.
std::string escaped(std::string_view text) {
  std::string out;
  for (char c : text) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      case '\n':
        out += '\n';
        break;
      default:
        out += static_cast<unsigned char>(c) < ' ' ? ' ' : c;
    }
  }
  return out;
}

std::string number(std::string_view name, std::int64_t value) {
  return " " + std::string(name) + "=\"" + std::to_string(value) + "\"";
}

std::string point(std::int64_t x, std::int64_t y) {
  return std::to_string(x) + " " + std::to_string(y);
}

class SvgWriter {
 public:
  explicit SvgWriter(const Picture& picture) : picture_(picture), ids_(picture), layout_(picture) {
    for (const Arrow& each : picture.arrows) {
      ++ends_[ids_.box(each.from)].all;
      ++ends_[ids_.box(each.to)].all;
    }
  }

  std::string write() {
    const std::string size = point(layout_.width(), layout_.height());
    out_ = "<svg xmlns=\"http://www.w3.org/2000/svg\" role=\"img\" aria-labelledby=\"title desc\"" +
           number("width", layout_.width()) + number("height", layout_.height()) +
           " viewBox=\"0 0 " + size + "\">\n  <title id=\"title\">" + escaped(picture_.title) +
           "</title>\n  <desc id=\"desc\">" + escaped(picture_text(picture_)) + "</desc>\n";
    out_ += kStyle;
    add_header(picture_.title, picture_.lines, 0, 0);
    for (const Box& box : picture_.boxes) add(box);
    for (const Arrow& arrow : picture_.arrows) add(arrow);
    return out_ + "</svg>\n";
  }

 private:
  /// Arrows of a box, which share its sides.
  struct Ends {
    std::int64_t all = 0;
    std::int64_t drawn = 0;
  };

  void add_text(std::int64_t x, std::int64_t y, std::string_view text, std::string_view style) {
    out_ += "  <text" + number("x", x) + number("y", y) +
            (style.empty() ? "" : " class=\"" + std::string(style) + "\"") + ">" + escaped(text) +
            "</text>\n";
  }

  void add_header(const std::string& title, const std::vector<std::string>& lines, std::int64_t x,
                  std::int64_t y) {
    x += kMetrics.padding;
    y += kMetrics.padding + kMetrics.title - 6;
    add_text(x, y, title, "t");
    for (const std::string& line : lines) add_text(x, y += kMetrics.line, line, {});
  }

  void add(const Box& box) {
    const Rect& at = layout_.of(box);
    out_ += "  <rect class=\"" + std::string(class_of(box.kind)) + "\"" + number("x", at.x) +
            number("y", at.y) + number("width", at.width) + number("height", at.height) +
            " rx=\"6\"/>\n";
    add_header(box.title, box.lines, at.x, at.y);
    for (const Box& each : box.inside) add(each);
  }

  /// The next place at the side of a box for the end of an arrow.
  std::int64_t height_of_end(const Box& box) {
    Ends& ends = ends_[&box];
    const Rect& at = layout_.of(box);
    return at.y + at.height * ++ends.drawn / (ends.all + 1);
  }

  void add(const Arrow& arrow) {
    const Box* const from = ids_.box(arrow.from);
    const Box* const to = ids_.box(arrow.to);
    if (from == nullptr || to == nullptr) return;
    const Rect& start = layout_.of(*from);
    const Rect& end = layout_.of(*to);
    const std::int64_t y1 = height_of_end(*from);
    const std::int64_t y2 = height_of_end(*to);
    std::int64_t x1 = start.right();
    std::int64_t x2 = end.x;
    std::int64_t bend = std::max<std::int64_t>((x2 - x1) / 2, 20);
    std::int64_t bend_to = -bend;
    if (end.right() < start.x) {  // to the left
      x1 = start.x;
      x2 = end.right();
      bend = -std::max<std::int64_t>((x1 - x2) / 2, 20);
      bend_to = -bend;
    } else if (end.x < start.right()) {  // below or above: around the right side
      x2 = end.right();
      bend = std::max(x1, x2) - x1 + 60;
      bend_to = std::max(x1, x2) - x2 + 60;
    }
    out_ += "  <path class=\"a\" marker-end=\"url(#head)\" d=\"M" + point(x1, y1) + " C" +
            point(x1 + bend, y1) + ", " + point(x2 + bend_to, y2) + ", " + point(x2, y2) + "\"/>\n";
    if (arrow.label.empty()) return;
    // The middle of the curve.
    const std::int64_t x = (x1 + 3 * (x1 + bend) + 3 * (x2 + bend_to) + x2) / 8;
    const bool around = bend_to > 0;
    const std::int64_t half = around ? -6 : line_width(arrow.label, false) / 2;
    add_text(x - half, (y1 + y2) / 2 - 4, arrow.label, "l");
  }

  const Picture& picture_;
  BoxIds ids_;
  BoxLayout layout_;
  std::map<const Box*, Ends> ends_;
  std::string out_;
};

}  // namespace

std::string picture_svg(const Picture& picture) {
  return SvgWriter(picture).write();
}

}  // namespace trainyard
