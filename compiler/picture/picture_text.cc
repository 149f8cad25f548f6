#include "picture/picture_text.h"

namespace trainyard {
namespace {

constexpr std::size_t kColumns = 100;

std::string joined(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += (text.empty() ? "" : ", ") + line;
  return text;
}

void add_line(std::string& out, std::size_t indent, const std::string& line) {
  out.append(indent, ' ').append(line).append("\n");
}

/// The boxes from which arrows without a label come: ` <- role head, role worker`.
std::string sources_of(const Picture& picture, const Box& box) {
  std::string sources;
  for (const Arrow& arrow : picture.arrows) {
    if (box.id.empty() || arrow.to != box.id || !arrow.label.empty()) continue;
    sources.append(sources.empty() ? " <- " : ", ").append(title_of_box(picture, arrow.from));
  }
  return sources;
}

/// A box without others inside is one line, where that is no longer than a terminal is wide.
void add_box(std::string& out, std::size_t indent, const Picture& picture, const Box& box) {
  const std::string sources = sources_of(picture, box);
  const std::string line =
      box.title + (box.lines.empty() ? "" : ": ") + joined(box.lines) + sources;
  if (box.inside.empty() && indent + text_width(line) <= kColumns) {
    return add_line(out, indent, line);
  }
  add_line(out, indent, box.title + sources);
  for (const std::string& each : box.lines) add_line(out, indent + 2, each);
  for (const Box& each : box.inside) add_box(out, indent + 2, picture, each);
}

}  // namespace

std::string picture_text(const Picture& picture) {
  std::string out = picture.title + "\n";
  for (const std::string& line : picture.lines) add_line(out, 2, line);
  for (const Box& box : picture.boxes) add_box(out, 2, picture, box);
  for (const Arrow& arrow : picture.arrows) {
    if (arrow.label.empty()) continue;  // stands at its target
    std::string line(title_of_box(picture, arrow.from));
    line.append(" -> ").append(title_of_box(picture, arrow.to)).append(": ").append(arrow.label);
    add_line(out, 2, line);
  }
  return out;
}

}  // namespace trainyard
