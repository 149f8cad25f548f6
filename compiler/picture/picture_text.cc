#include "picture/picture_text.h"

#include <map>

namespace trainyard {
namespace {

constexpr std::size_t kColumns = 100;

std::string joined(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += (text.empty() ? "" : ", ") + line;
  return text;
}

class TextWriter {
 public:
  explicit TextWriter(const Picture& picture) : picture_(picture) {
    read_titles(picture.boxes);
    for (const Arrow& arrow : picture.arrows) {
      if (!arrow.label.empty()) continue;
      std::string& sources = sources_[arrow.to];
      sources.append(sources.empty() ? " <- " : ", ").append(titles_[arrow.from]);
    }
  }

  std::string write() {
    add_line(0, picture_.title);
    for (const std::string& line : picture_.lines) add_line(2, line);
    for (const Box& box : picture_.boxes) add_box(2, box);
    for (const Arrow& arrow : picture_.arrows) {
      if (arrow.label.empty()) continue;  // stands at its target
      add_line(2, std::string(titles_[arrow.from]) + " -> " + std::string(titles_[arrow.to]) +
                      ": " + arrow.label);
    }
    return std::move(out_);
  }

 private:
  void read_titles(const std::vector<Box>& boxes) {
    for (const Box& each : boxes) {
      if (!each.id.empty()) titles_.emplace(each.id, each.title);
      read_titles(each.inside);
    }
  }

  void add_line(std::size_t indent, const std::string& line) {
    out_.append(indent, ' ').append(line).append("\n");
  }

  /// A box without others inside is one line, where that is no longer than a terminal is wide.
  void add_box(std::size_t indent, const Box& box) {
    const auto found = sources_.find(box.id);
    const std::string sources = found == sources_.end() ? "" : found->second;
    const std::string line =
        box.title + (box.lines.empty() ? "" : ": ") + joined(box.lines) + sources;
    if (box.inside.empty() && indent + text_width(line) <= kColumns) return add_line(indent, line);
    add_line(indent, box.title + sources);
    for (const std::string& each : box.lines) add_line(indent + 2, each);
    for (const Box& each : box.inside) add_box(indent + 2, each);
  }

  const Picture& picture_;
  std::map<std::string_view, std::string_view> titles_;  // of boxes, by id
  /// By the id of the target, the boxes from which arrows without a label come:
  /// ` <- role head, role worker`.
  std::map<std::string_view, std::string> sources_;
  std::string out_;
};

}  // namespace

std::string picture_text(const Picture& picture) {
  return TextWriter(picture).write();
}

}  // namespace trainyard
