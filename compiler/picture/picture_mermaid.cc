#include "picture/picture_mermaid.h"

#include "picture/box_ids.h"

namespace trainyard {
namespace {

/// Between quotes. `#` starts a code of a character there, and `<` a tag.
std::string quoted(std::string_view text) {
  std::string out;
  for (char c : text) {
    switch (c) {
      case '"':
        out += "#quot;";
        break;
      case '#':
        out += "#35;";
        break;
      case '<':
        out += "#lt;";
        break;
      case '>':
        out += "#gt;";
        break;
      case '&':
        out += "#amp;";
        break;
      case '`':
        out += "#96;";
        break;
      default:
        out += static_cast<unsigned char>(c) < ' ' ? ' ' : c;
    }
  }
  return out;
}

std::string label_of(const Box& box) {
  std::string label = quoted(box.title);
  for (const std::string& line : box.lines) label += "<br>" + quoted(line);
  return label;
}

class MermaidWriter {
 public:
  explicit MermaidWriter(const Picture& picture) : picture_(picture), ids_(picture) {}

  std::string write() {
    out_ = "---\ntitle: '" + title() + "'\n---\nflowchart LR\n";
    for (const Box& box : picture_.boxes) add(box, 1);
    for (const Arrow& arrow : picture_.arrows) add(arrow);
    return std::move(out_);
  }

 private:
  /// Of a line of YAML in single quotes.
  std::string title() const {
    std::string title;
    for (char c : picture_.title) title += c == '\'' ? std::string("''") : std::string(1, c);
    return title;
  }

  void add(const Box& box, std::size_t depth) {
    const std::string indent(2 * depth, ' ');
    if (box.inside.empty()) {
      const bool is_store = box.kind == BoxKind::Volume;
      out_ += indent + ids_.of(box) + (is_store ? "[(\"" : "[\"") + label_of(box) +
              (is_store ? "\")]\n" : "\"]\n");
      return;
    }
    out_ += indent + "subgraph " + ids_.of(box) + "[\"" + label_of(box) + "\"]\n";
    for (const Box& each : box.inside) add(each, depth + 1);
    out_ += indent + "end\n";
  }

  void add(const Arrow& arrow) {
    const Box* const from = ids_.box(arrow.from);
    const Box* const to = ids_.box(arrow.to);
    if (from == nullptr || to == nullptr) return;
    out_ += "  " + ids_.of(*from) + " -->";
    if (!arrow.label.empty()) out_ += "|\"" + quoted(arrow.label) + "\"|";
    out_ += " " + ids_.of(*to) + "\n";
  }

  const Picture& picture_;
  BoxIds ids_;
  std::string out_;
};

}  // namespace

std::string picture_mermaid(const Picture& picture) {
  return MermaidWriter(picture).write();
}

}  // namespace trainyard
